# shellcheck shell=bash
# The service in the container, and the simulator that it mirrors there.

vtmirror() { inside vtmirror --color never "$@"; }
as() { inside runuser -u "$1" -- "${@:2}"; }
property() { inside systemctl show --value --property "$1" vtmirror; }
main_pid() { property MainPID; }
modes() { inside stat --format '%a %U:%G' "$1"; }

# The fourth day after a bulk file, so that tomorrow brings a delta alone.
# start_simulator today|tomorrow
start_simulator() {
  rm -rf "$root/srv/service"
  printf '{"bulk_bytes": 2000000, "delta_bytes": 3000000, "deflated": "none", "bulk_weekday_offset": %d}' \
    $((($(TZ=$(noon_zone) date +%w) + 4) % 7)) >"$root/srv/script.json"
  inside systemd-run --quiet --unit=simulator /opt/vtmirror-simulator --state /srv/simulator --date "$(day "$1")" \
    --script /srv/script.json --write-config /srv/service
  await grep -q base_url "$root/srv/service/vtmirror.toml"
  await simulator_line
  control=$(simulator_line | sed 's/.*"control":"\([^"]*\)".*/\1/')
}
simulator_line() { inside journalctl --unit simulator --output cat | grep '"control"'; }
# simulator PATH JSON: posts JSON to the simulator; without JSON, gets PATH.
simulator() { in_its_network curl -sSf ${2:+--data "$2"} "$control/$1"; }

# setting KEY VALUE: every key of the settings file has one line of its own.
setting() { sed -i "s|^$1 = .*|$1 = $2|" "$root/etc/vtmirror/vtmirror.toml"; }

# served KEY: what the simulator has written for its client.
served() { sed -n "s/^$1 = \"\(.*\)\"$/\1/p" "$root/srv/service/vtmirror.toml"; }
# As an administrator would enter it.
fill_in_settings() {
  local key
  for key in base_url token_url scope client_id email; do
    setting "$key" "\"$(served $key)\""
  done
  install -m 0644 "$root/srv/service/ca.pem" "$root/etc/vtmirror/ca.pem"
  setting ca_file '"/etc/vtmirror/ca.pem"'
  setting time_zone "\"$(noon_zone)\""
  setting at '"00:00"'
  setting splay '"0s"'
  setting give_up '"24h"'
  setting reserve '"1MiB"'
}
# A hook that writes down as which user it runs, whether it can write outside, and what it knows of the credentials.
add_hook() {
  cat >>"$root/etc/vtmirror/vtmirror.toml" <<'EOF'

[[hook]]
on = ["cycle"]
command = ["/bin/sh", "-c", "id -un > $STATE_DIRECTORY/hook; touch /etc/vtmirror/hook 2>/dev/null && echo outside >> $STATE_DIRECTORY/hook; echo \"$VTMIRROR_OUTCOME with <$CREDENTIALS_DIRECTORY>\""]
EOF
}
store_secrets() {
  for secret in client_secret api_key; do
    install -m 0600 "$root/srv/service/$secret" "$root/etc/credstore/vtmirror.$secret"
  done
}

# What a test cannot wait for: ten seconds to a restart, a minute to the watchdog. And more starts than systemd allows in a short time.
hurry_up() {
  mkdir -p "$root/etc/systemd/system/vtmirror.service.d"
  printf '[Unit]\nStartLimitIntervalSec=0\n[Service]\nRestartSec=100ms\nWatchdogSec=5s\nTimeoutAbortSec=2s\n' \
    >"$root/etc/systemd/system/vtmirror.service.d/test.conf"
  inside systemctl daemon-reload
}

# now: a place in the journal. since PLACE EVENT: the service's entries of that event after it.
now() { inside journalctl --lines 0 --show-cursor | sed -n 's/^-- cursor: //p'; }
# By grep: journalctl's own matches lose the first entry behind a cursor.
since() { inside journalctl --after-cursor "$1" --output json --no-pager | grep "\"VTMIRROR_EVENT\":\"$2\""; }
# `grep -q` would end at the first match, and what it reads from fail for that: under pipefail it is no answer.
logged() { since "$1" "$2" | grep "${3:-.}" >/dev/null; }

state_is() { vtmirror status --json | grep "\"state\":\"$1\"" >/dev/null; }
public_files() { (cd "$root/var/lib/vtmirror/mirror" && find v1 -type f -exec sha256sum {} + | sort -k 2); }

show_state() {
  [ -n "${leader:-}" ] || return 0
  {
    inside systemctl --no-pager --full status vtmirror || true
    inside journalctl --no-pager --unit vtmirror --lines 40 || true
  } 2>&1 | sed 's/^/# /'
}
