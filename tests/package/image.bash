# shellcheck shell=bash
# What image_test does: an engine with images and containers of its own, so that nothing of the machine's is touched.

settings=$work/settings/vtmirror.toml
entry=()

# The limits are low: an engine's own are its highest, which not every machine allows.
engine() {
  podman --root "$work/containers" --runroot "$work/run" --events-backend=file "${runtime[@]}" "$@" 2> >(grep -v 'healthcheck: unable' >&2)
}
runtime=()
limits=(--ulimit nofile=1024:1024 --ulimit nproc=4096:4096)

clean_up() {
  [ ! -e "$work/containers" ] || engine rm --all --force --time 0 >/dev/null 2>&1 || true
  if [ -n "${simulator:-}" ]; then
    kill "$simulator" 2>/dev/null || true
    wait "$simulator" 2>/dev/null || true
  fi
  [ ! -e "$work/containers" ] || engine system reset --force >/dev/null 2>&1 || true
  rm -rf "$work/containers" "$work/run"
}

build_package_for_the_image() { VTMIRROR_BUILD=$build "$here/../../packaging/make_package" "$work/package" >"$work/path"; }

# With what the Containerfile asks for, so that no network is needed to build the image.
packages_of_the_image() {
  printf 'tini,systemd-standalone-sysusers,%s' "$(packages_of_the_package | tr ',' '\n' | grep -vx systemd | paste -sd ,)"
}
import_base() { engine import "$archive" vtmirror-test-base; }

# The engine's own choice, or else another that is installed.
find_runtime() {
  local name
  for name in '' runc crun; do
    runtime=(${name:+--runtime "$name"})
    if engine run --rm "${limits[@]}" --network none vtmirror-test-base true >"$work/probe" 2>&1; then return; fi
  done
  skip "podman cannot run a container here: $(tail -n 1 "$work/probe")"
}

build_image() {
  engine build "${limits[@]}" --network none --format docker --build-arg BASE=vtmirror-test-base --tag vtmirror-test \
    --file "$here/../../packaging/container/Containerfile" "$work/package"
}
in_image() { engine run --rm "${limits[@]}" --network none --entrypoint /bin/sh vtmirror-test -c "$1"; }
user_is_fixed() {
  is "$(in_image 'id -u; id -g; id -un' | paste -sd ' ')" "10001 10001 vtmirror"
  is "$(in_image 'stat -c "%a %U:%G" /var/lib/vtmirror')" "750 vtmirror:vtmirror"
}
entry_is_small() {
  local image
  image=$(engine inspect vtmirror-test | tr -d ' \n')
  has "$image" '"Entrypoint":["/usr/bin/tini","--","/usr/bin/vtmirror"]'
  has "$image" '"Cmd":["run"]'
  has "$image" 'vtmirrorstatus--check'
}

# The day after a bulk file, so that the next day brings a delta alone.
start_simulator() {
  printf '{"bulk_bytes": 6000000, "delta_bytes": 3000000, "deflated": "none", "bulk_weekday_offset": %d}' \
    $((($(TZ=$(noon_zone) date +%w) + 4) % 7)) >"$work/script.json"
  "$build/vtmirror-simulator" --state "$work/simulator" --date "$(day today)" --script "$work/script.json" \
    --write-config "$work/service" --for-seconds 400 >"$work/ready" &
  simulator=$!
  await test -s "$work/ready"
  control=$(sed 's/.*"control":"\([^"]*\)".*/\1/' "$work/ready")
}
# simulator_is PATH JSON
simulator_is() { curl --noproxy '*' -sSf --data "$2" "$control/$1"; }

# The shipped settings with what the simulator has written for its client, and a hook that leaves a process behind.
fill_in_settings() {
  local key
  install -D -m 0644 "$here/../../packaging/container/vtmirror.toml" "$settings"
  for key in base_url token_url scope client_id; do
    sed -i "s|^$key *= .*|$key = $(sed -n "s/^$key = //p" "$work/service/vtmirror.toml")|" "$settings"
  done
  sed -i 's|^\[service\]|&\nca_file = "/etc/vtmirror/ca.pem"|' "$settings"
  install -m 0644 "$work/service/ca.pem" "$work/settings/ca.pem"
  cat >>"$settings" <<END

[schedule]
at = "00:00"
time_zone = "$(noon_zone)"
splay = "0s"
give_up = "24h"

[mirror]
reserve = "1MiB"

[[hook]]
on = ["cycle"]
command = ["/bin/sh", "-c", "sleep 0.5 & echo ended"]
END
  engine secret create client_secret "$work/service/client_secret" >/dev/null
  engine secret create api_key "$work/service/api_key" >/dev/null
}

# run_image MODE ARGUMENT...: as compose.yaml runs it. The engine's own network needs more rights than every machine gives.
run_image() {
  local mode=$1 name
  shift
  local secrets=()
  for name in client_secret api_key; do secrets+=(--secret "$name,uid=10001,gid=10001,mode=$mode"); done
  engine run "${limits[@]}" --network host --read-only --cap-drop ALL --security-opt no-new-privileges --tmpfs /tmp \
    --tmpfs /run/secrets:mode=0755 "${secrets[@]}" --volume state:/var/lib/vtmirror \
    --volume "$work/settings:/etc/vtmirror:ro" "$@"
}
refuses_open_secrets() {
  has "$(refused 2 run_image 0444 --rm vtmirror-test)" "/run/secrets/client_secret can be read or changed by others"
}
start_daemon() {
  engine rm --force --time 0 daemon >/dev/null 2>&1 || true
  run_image 0400 --detach --name daemon "${entry[@]}" vtmirror-test run >/dev/null
}
asked() { engine exec daemon vtmirror --color never "$@"; }
state_is() { asked status --json | grep "\"state\":\"$1\"" >/dev/null; }
show_state() {
  if engine container exists daemon; then engine logs daemon 2>&1 | tail -n 20 | sed 's/^/# /'; fi
}

whole_cycle() {
  await state_is idle
  has "$(asked coverage)" "complete"
  engine exec daemon sh -ec 'cd /var/lib/vtmirror/mirror; sha256sum --check --strict --quiet SHA256SUMS; cat current/* >/dev/null'
}
logs_to_stderr() {
  has "$(engine logs daemon 2>&1 >/dev/null)" "cycle complete"
  is "$(engine logs daemon 2>/dev/null)" ""
  has_not "$(engine logs daemon 2>&1)" "$(cat "$work/service/api_key")"
}
writes_only_to_the_volume() {
  is "$(engine exec daemon id -u)" 10001
  has "$(refused 1 engine exec daemon touch /etc/vtmirror/x)" "Read-only file system"
  is "$(engine exec daemon sh -c 'find / -xdev -newer /proc/1 -type f ! -path "/proc/*" ! -path "/sys/*" ! -path "/run/*" ! -path "/etc/*"')" ""
  has "$(engine exec daemon grep CapEff /proc/1/status)" 0000000000000000
}
is_healthy() {
  has "$(asked status --check)" "VTMIRROR OK"
  engine healthcheck run daemon
}

# A secret that expires in 20 days, by the settings.
warning_is_healthy() {
  sed -i "s|^\[credentials\]|&\nsecret_expires_on = \"$(date -u -d '20 days' +%F)\"|" "$settings"
  engine kill --signal HUP daemon
  await is_warned
  engine healthcheck run daemon
}
is_warned() { refused 1 asked status --check | grep "VTMIRROR WARNING"; }

reaps_orphans() {
  asked sync
  await no_process_is_left
}
no_process_is_left() {
  local names
  # shellcheck disable=SC2016  # the shell inside is to expand it
  names=$(engine exec daemon sh -c 'for each in /proc/[0-9]*; do sed -n "s/^Name:[[:space:]]*//p" "$each/status"; done' | sort | paste -sd ' ')
  [ "$names" = "sh tini vtmirror" ]
}
reloads() {
  sed -i 's|^splay = .*|splay = "1m"|' "$settings"
  engine kill --signal HUP daemon
  await log_has "read again"
}
log_has() { engine logs daemon 2>&1 | grep "$1" >/dev/null; }

# Tomorrow's delta comes slowly: there is a download to stop.
stops_in_a_download() {
  simulator_is script '{"faults": [{"at": "store", "match": "delta", "rate": 400000, "times": 0}]}'
  simulator_is date "{\"date\": \"$(day tomorrow)\"}"
  engine exec daemon vtmirror sync >"$work/sync" 2>&1 &
  await received_is_more_than 500000
  stops_in_time
}
received_is_more_than() {
  local received
  received=$(asked status --json | sed -n 's/.*"received":\([0-9]*\).*/\1/p')
  [ "${received:-0}" -gt "$1" ]
}
stops_in_time() {
  local began=$SECONDS
  engine stop --time 30 daemon
  [ $((SECONDS - began)) -le 5 ] || fail "it took $((SECONDS - began)) s"
  is "$(engine inspect --format '{{.State.ExitCode}}' daemon)" 0
}
resumes() {
  local delta
  delta=$(delta_of "$(day tomorrow)")
  simulator_is script '{"faults": []}'
  start_daemon
  await log_has "cycle complete"
  # The file is asked for from its beginning once.
  is "$(grep -c "$delta.*\"range\":\"bytes=0-" "$work/simulator/requests.jsonl")" 1
  whole_cycle
}
is_unhealthy() {
  signal_daemon STOP
  refused 1 engine healthcheck run daemon
  signal_daemon CONT
}
# The first process is another one, which passes only signals on that a process can receive.
signal_daemon() {
  # shellcheck disable=SC2016  # the shell inside is to expand it
  engine exec daemon sh -c 'for each in /proc/[0-9]*; do
    if [ "$(cat "$each/comm")" = vtmirror ]; then kill -"$0" "${each#/proc/}"; fi
  done' "$1"
}
killed() {
  start_daemon
  await state_is idle
  engine kill --signal KILL daemon
  start_daemon
  whole_cycle
}
