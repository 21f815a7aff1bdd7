# shellcheck shell=bash
# What package_test checks, in its order. Each function fails by its first command that does.

# This build runs no tests, because they run beside this one.
build_package() { VTMIRROR_BUILD=$build "$here/../../packaging/make_package" "$work" >"$work/path"; }
symbols_are_beside_it() {
  local symbols=${deb/vtmirror_/vtmirror-dbgsym_}
  is "$(dpkg-deb --field "$symbols" Package)" vtmirror-dbgsym
  has "$(dpkg-deb --contents "$symbols")" "/usr/lib/debug/.build-id/"
}

# All files but those that change by themselves, and those of the journal, which is meant to stay.
files_of_the_system() {
  inside find / -xdev -ignore_readdir_race ! -path '/var/log/*' ! -path '/var/cache/*' ! -path '/var/lib/dpkg/*' ! -path '/var/lib/apt/*' \
    ! -path '/var/lib/systemd/*' ! -path '/tmp/*' ! -path '/var/tmp/*' ! -path '/run/*' ! -path '/etc/*-' ! -path '/srv/*' | sort
}
users_of_the_system() { inside getent passwd && inside getent group; }

install_package() { inside apt-get install --yes --quiet /root/vtmirror.deb >"$work/install" 2>&1; }
installation_says_one_line() {
  # apt gives dpkg a terminal, whose lines end in a carriage return too.
  is "$(tr -d '\r' <"$work/install" | grep 'vtmirror is \|README')" \
    "vtmirror is not started yet, because its settings are empty; see /usr/share/doc/vtmirror/README.Debian"
  has "$(inside cat /usr/share/doc/vtmirror/README.Debian)" "vtmirror config check"
  has "$(inside cat /usr/share/doc/vtmirror/README.Debian)" "systemctl start vtmirror"
}
is_enabled_and_waits() {
  is "$(property UnitFileState)" enabled
  is "$(property ActiveState)" inactive
  is "$(property Result)" success
  is "$(inside systemctl --failed --no-legend)" ""
}
user_is_made() {
  has "$(inside getent passwd vtmirror)" ":/var/lib/vtmirror:/usr/sbin/nologin"
  has "$(inside passwd --status vtmirror)" "vtmirror L "
}
installed_modes() {
  is "$(modes /etc/vtmirror/vtmirror.toml)" "640 root:vtmirror"
  is "$(modes /etc/vtmirror)" "755 root:root"
  is "$(modes /etc/credstore)" "700 root:root"
  is "$(modes /usr/bin/vtmirror)" "755 root:root"
  # shellcheck disable=SC2016  # dpkg's variable, not the shell's
  has "$(inside dpkg-query --show --showformat '${Conffiles}' vtmirror)" "/etc/vtmirror/vtmirror.toml"
}
installed_files() {
  local file
  for file in man/man8/vtmirror.8.gz man/man5/vtmirror.toml.5.gz man/man7/vtmirror-guide.7.gz bash-completion/completions/vtmirror \
    zsh/vendor-completions/_vtmirror fish/vendor_completions.d/vtmirror.fish doc/vtmirror/README.md doc/vtmirror/copyright \
    vtmirror/prometheus/vtmirror.rules.yml vtmirror/grafana/vtmirror.json vtmirror/examples/load-sqlite vtmirror/container/Containerfile \
    vtmirror/container/compose.yaml; do
    [ -s "$root/usr/share/$file" ] || fail "missing: $file"
  done
  [ ! -e "$root/usr/bin/vtmirror-simulator" ]
  has "$(inside journalctl --list-catalog)" "A cycle has started"
}
unit_is_closed() {
  local unit=/lib/systemd/system/vtmirror.service
  is "$(inside systemd-analyze verify --man=no --recursive-errors=no $unit 2>&1)" ""
  inside systemd-analyze security --no-pager --offline=true --threshold=12 $unit
}

settings_are_accepted() {
  local said
  said=$(vtmirror config check 2>&1)
  has "$said" "no mistakes"
  has "$said" "client_secret: the service loads it from /etc/credstore/vtmirror.client_secret"
  has "$said" "api_key: the service loads it from /etc/credstore/vtmirror.api_key"
}
starts() {
  inside systemctl start vtmirror
  is "$(property ActiveState)" active
  vtmirror status
}
whole_cycle() {
  await logged "$1" cycle_finished
  has "$(since "$1" cycle_finished)" '"VTMIRROR_OUTCOME":"complete"'
  await state_is idle
  has "$(vtmirror coverage)" "$(day today)"
  mirror_is_whole
}
hook_runs_under_the_units_rules() {
  await logged "$1" notice_delivered "exit status 0"
  has "$(since "$1" hook_output)" '"VTMIRROR_LINE":"complete with <>"'
  [ "$(inside cat /var/lib/vtmirror/hook)" = vtmirror ]
}
mirror_is_whole() {
  inside sh -ec 'cd /var/lib/vtmirror/mirror; sha256sum --check --strict --quiet SHA256SUMS; cat current/* >/dev/null'
}
status_in_words() {
  local text
  text=$(property StatusText)
  has "$text" "idle; next wake-up"
}
credentials_are_the_daemons() {
  local directory=/run/credentials/vtmirror.service
  inside test -s $directory/client_secret
  inside test -s $directory/api_key
  refused 1 as member cat $directory/client_secret
  [ ! -e "$root/var/lib/vtmirror/client_secret" ]
}
# The kernel gives this file of a process that may not dump core to root.
has_limits_of_memory() {
  is "$(property MemoryHigh)" 2147483648
  is "$(property MemoryMax)" 3221225472
  is "$(property OOMPolicy)" continue
}
dumps_no_core() {
  is "$(inside stat --format %U "/proc/$(main_pid)/environ")" root
  is "$(inside stat --format %U "/proc/$(main_pid)")" vtmirror
}
mirror_modes() {
  is "$(modes /var/lib/vtmirror)" "750 vtmirror:vtmirror"
  as member ls /var/lib/vtmirror/mirror/current/
  as member sh -c 'cat /var/lib/vtmirror/mirror/current/01-* >/dev/null'
  refused 2 as stranger ls /var/lib/vtmirror/mirror
}

root_asks() {
  has "$(vtmirror status)" "$(day today)"
  vtmirror status --check
  vtmirror files
  vtmirror history
}
member_asks() {
  has "$(as member vtmirror status)" "$(day today)"
  has "$(refused 1 as member vtmirror sync)" "root"
}
stranger_asks() {
  local said
  said=$(refused 1 as stranger vtmirror status)
  has "$said" "not allowed to ask the daemon at /run/vtmirror/control.sock"
  has "$said" "control.group"
}
journal_fields() {
  local entries
  entries=$(since "$1" published)
  is "$(grep -c . <<<"$entries")" "$(public_files | grep -c .)"
  has "$entries" '"MESSAGE_ID":"291ff68b28694aa498f8f411b5555286"'
  has "$entries" '"VTMIRROR_FILE":"v1/public/bulk/'
  has "$entries" '"VTMIRROR_BYTES":"'
  has "$entries" '"SYSLOG_IDENTIFIER":"vtmirror"'
  has_not "$(inside journalctl --unit vtmirror --output json)" "$(cat "$root/etc/credstore/vtmirror.api_key")"
}
journal_explains() {
  local text
  text=$(inside journalctl --catalog --no-pager --unit vtmirror VTMIRROR_EVENT=published)
  has "$text" "A file was published: v1/public/"
  has "$text" "man:vtmirror(8)"
  has "$text" "vtmirror changes --since"
}

# A user's own daemon beside the system's: begun only once there are settings, and all of it below that user's home.
users_own_service() {
  inside useradd --create-home owner
  inside loginctl enable-linger owner
  await inside systemctl is-active "user@$(inside id --user owner)"
  inside install -o owner -m 0600 /srv/service/client_secret /srv/service/api_key /srv/service/ca.pem /home/owner/
  as_owner systemctl --user start vtmirror
  is "$(as_owner systemctl --user show --value --property ActiveState vtmirror)" inactive
  as_owner vtmirror config init --base-url "$(served base_url)" --token-url "$(served token_url)" --scope "$(served scope)" \
    --client-id "$(served client_id)" --client-secret-file /home/owner/client_secret --api-key-file /home/owner/api_key \
    --ca-file /home/owner/ca.pem
  as_owner systemctl --user start vtmirror
  await owner_has_files
  has "$(as_owner vtmirror status)" /home/owner/.local/state/vtmirror/mirror
  as_owner sh -ec 'cd ~/.local/state/vtmirror/mirror; sha256sum --check --strict --quiet SHA256SUMS'
  as_owner systemctl --user reload vtmirror
  as_owner systemctl --user stop vtmirror
  is "$(as_owner systemctl --user show --value --property Result vtmirror)" success
  is "$(property ActiveState)" active
  inside loginctl disable-linger owner
  inside systemctl stop "user@$(inside id --user owner)"
  inside userdel --remove owner
}
as_owner() { as owner env HOME=/home/owner XDG_RUNTIME_DIR="/run/user/$(inside id --user owner)" "$@"; }
owner_has_files() { as_owner vtmirror coverage | grep '; complete$'; }

good_reload() {
  local pid place
  pid=$(main_pid)
  place=$(now)
  setting at '"23:58"'
  inside systemctl reload vtmirror
  await logged "$place" settings_read "were read again"
  await next_wake_is ":58:"
  is "$(main_pid)" "$pid"
}
next_wake_is() { vtmirror status --json | grep "\"next_wake\":\"[^\"]*$1" >/dev/null; }
bad_reload() {
  local pid place
  pid=$(main_pid)
  place=$(now)
  setting at '"25:61"'
  inside systemctl reload vtmirror
  await logged "$place" settings_read "the new settings were refused"
  has "$(since "$place" settings_read)" '"PRIORITY":"3"'
  next_wake_is ":58:"
  is "$(main_pid)" "$pid"
  is "$(property ActiveState)" active
  setting at '"00:00"'
  inside systemctl reload vtmirror
  await next_wake_is ":00:"
}

is_another_process() {
  local pid
  pid=$(main_pid)
  [ "$pid" != 0 ] && [ "$pid" != "$1" ] && state_is idle
}
killed() {
  local files pid
  files=$(public_files)
  pid=$(main_pid)
  inside systemctl kill --kill-who=main --signal=KILL vtmirror
  await is_another_process "$pid"
  is "$(public_files)" "$files"
  vtmirror status --check
}
hung() {
  local pid
  pid=$(main_pid)
  inside systemctl kill --kill-who=main --signal=STOP vtmirror
  await is_another_process "$pid"
  has "$(inside journalctl --no-pager _PID=1 UNIT=vtmirror.service)" "Watchdog timeout"
}

# Tomorrow's delta comes slowly: there is a transfer to be stopped.
stopped_in_a_transfer() {
  local began
  simulator script '{"faults": [{"at": "store", "match": "delta", "rate": 400000, "times": 0}]}'
  simulator date "{\"date\": \"$(day tomorrow)\"}"
  vtmirror sync >"$work/sync" 2>&1 &
  await received_is_more_than 500000
  began=$SECONDS
  inside systemctl stop vtmirror
  [ $((SECONDS - began)) -le 5 ] || fail "it took $((SECONDS - began)) s"
  is "$(property Result)" success
  has_not "$(public_files)" "$(delta_of "$(day tomorrow)")"
}
received_is_more_than() {
  local received
  received=$(vtmirror status --json | sed -n 's/.*"received":\([0-9]*\).*/\1/p')
  [ "${received:-0}" -gt "$1" ]
}
goes_on() {
  local place
  place=$(now)
  simulator script '{"faults": []}'
  inside systemctl start vtmirror
  await logged "$place" cycle_finished
  has "$(since "$place" cycle_finished)" '"VTMIRROR_OUTCOME":"complete"'
  await state_is idle
  # Nothing is asked for from its beginning a second time.
  is "$(simulator requests | grep "$(delta_of "$(day tomorrow)")" | grep -c '"range":"bytes=0-')" 1
  mirror_is_whole
}

# As a backup does, in the middle of a cycle.
stops_beside_a_lock() {
  local began word
  coproc backup { sqlite3 "$root/var/lib/vtmirror/catalogue.db" 2>&1; }
  printf 'BEGIN IMMEDIATE;\n.print locked\n' >&"${backup[1]}"
  read -r -t 10 word <&"${backup[0]}"
  is "$word" locked
  vtmirror sync >"$work/sync" 2>&1 &
  await state_is syncing
  began=$SECONDS
  inside systemctl stop vtmirror
  [ $((SECONDS - began)) -le 5 ] || fail "it took $((SECONDS - began)) s"
  is "$(property Result)" success
  printf '.quit\n' >&"${backup[1]}"
  wait "${backup_PID:?}"
  inside systemctl start vtmirror
  await state_is idle
}

# A package with a file there is what triggers it, as tzdata is.
new_time_zones() {
  local pid place package=$work/zones
  mkdir -p "$package/DEBIAN" "$package/usr/share/zoneinfo"
  echo x >"$package/usr/share/zoneinfo/vtmirror-test"
  printf 'Package: zones\nVersion: 1\nArchitecture: all\nMaintainer: x <x@x.invalid>\nDescription: x\n' >"$package/DEBIAN/control"
  dpkg-deb --root-owner-group --build "$package" "$root/srv/zones.deb"
  pid=$(main_pid)
  place=$(now)
  inside dpkg --install /srv/zones.deb
  await logged "$place" settings_read "were read again"
  is "$(main_pid)" "$pid"
  inside dpkg --purge zones
}
# The hook takes longer than TimeoutStopSec=: systemd waits because the daemon asks for it.
hook_outlives_the_stop() {
  local place settings=$root/etc/vtmirror/vtmirror.toml
  cp "$settings" "$work/settings"
  place=$(now)
  cat >>"$settings" <<'EOF'

[[hook]]
on = ["cycle"]
command = ["/bin/sh", "-c", "touch $STATE_DIRECTORY/began; sleep 12; touch $STATE_DIRECTORY/ended"]
EOF
  inside systemctl reload vtmirror
  await logged "$place" settings_read "were read again"
  vtmirror sync
  await test -e "$root/var/lib/vtmirror/began"
  inside systemctl stop vtmirror
  is "$(property Result)" success
  [ -e "$root/var/lib/vtmirror/ended" ]
  cat "$work/settings" >"$settings"
  rm "$root/var/lib/vtmirror/began" "$root/var/lib/vtmirror/ended"
  inside systemctl start vtmirror
  await state_is idle
}
upgraded() {
  local pid settings
  inside chmod 0644 /etc/vtmirror/vtmirror.toml
  settings=$(sha256sum <"$root/etc/vtmirror/vtmirror.toml")
  pid=$(main_pid)
  inside apt-get install --yes --quiet --reinstall /root/vtmirror.deb
  await is_another_process "$pid"
  is "$(sha256sum <"$root/etc/vtmirror/vtmirror.toml")" "$settings"
  is "$(modes /etc/vtmirror/vtmirror.toml)" "644 root:vtmirror"
}
stopped_stays_stopped() {
  inside systemctl stop vtmirror
  inside apt-get install --yes --quiet --reinstall /root/vtmirror.deb
  is "$(property ActiveState)" inactive
  inside systemctl start vtmirror
  await state_is idle
}
runs_after_boot() {
  await state_is idle
  is "$(property NRestarts)" 0
  is "$(public_files)" "$1"
  vtmirror status --check
}
removed() {
  local files
  files=$(public_files)
  inside apt-get remove --yes --quiet vtmirror
  is "$(inside find /proc -mindepth 1 -maxdepth 1 -user vtmirror)" ""
  is "$(public_files)" "$files"
  [ -s "$root/etc/vtmirror/vtmirror.toml" ]
  [ -s "$root/etc/credstore/vtmirror.api_key" ]
}
installed_again() {
  inside apt-get install --yes --quiet /root/vtmirror.deb
  is "$(property ActiveState)" active
  await state_is idle
}
purged() {
  public_files >"$work/files"
  # What an administrator may have made, and what is left of a rotation.
  inside install -D -m 0600 /etc/credstore/vtmirror.api_key /etc/vtmirror/secrets/api_key
  inside install -m 0600 /etc/credstore/vtmirror.api_key /var/lib/vtmirror/client_secret
  inside apt-get purge --yes --quiet vtmirror >"$work/purge" 2>&1
  has "$(cat "$work/purge")" "/var/lib/vtmirror/mirror"
  has "$(cat "$work/purge")" "ZIP files"
  has "$(cat "$work/purge")" "/var/lib/vtmirror/hook"
  has_not "$(cat "$work/purge")" "rror:"
}
# What the administrator and the hook have made stays.
nothing_left() {
  inside userdel member
  is "$(users_of_the_system)" "$(cat "$work/users-before")"
  is "$(files_of_the_system | comm -13 "$work/before" - | grep -v '^/var/lib/vtmirror\(/mirror\(/.*\)\?\)\?$' | paste -sd ' ')" \
    "/etc/systemd/system/vtmirror.service.d /etc/systemd/system/vtmirror.service.d/test.conf /etc/vtmirror /etc/vtmirror/ca.pem /var/lib/vtmirror/hook"
  is "$(modes /var/lib/vtmirror/hook | cut -d ' ' -f 2)" root:root
  inside rm /var/lib/vtmirror/hook
  is "$(inside find / -xdev \( -nouser -o -nogroup \))" ""
  # shellcheck disable=SC2016  # the shell inside is to read the link
  is "$(inside find /var/lib/vtmirror/mirror/.vtmirror -mindepth 1 -maxdepth 1 -printf '%f\n')" \
    "$(inside sh -c 'basename $(readlink /var/lib/vtmirror/mirror/current)')"
  is "$(inside systemctl list-units --all --no-legend 'vtmirror*')" ""
}
mirror_stays() {
  is "$(public_files)" "$(cat "$work/files")"
  is "$(inside stat --format %U:%G /var/lib/vtmirror/mirror/manifest.json)" root:root
  mirror_is_whole
}

# Before the daemon has run: the state directory is made for its user, and nothing is left in it that is root's.
root_syncs_first() {
  local said
  set_up_again
  inside rm -rf /var/lib/vtmirror
  said=$(vtmirror sync 2>&1)
  has "$said" "working as user vtmirror, to whom /var/lib/vtmirror belongs"
  is "$(modes /var/lib/vtmirror)" "750 vtmirror:vtmirror"
  is "$(inside find /var/lib/vtmirror ! -user vtmirror)" ""
  inside systemctl start vtmirror
  await state_is idle
}

set_up_again() {
  inside apt-get install --yes --quiet /root/vtmirror.deb
  fill_in_settings
  store_secrets
  hurry_up
}
taken_over() {
  local place
  set_up_again
  place=$(now)
  inside systemctl start vtmirror
  await logged "$place" cycle_finished
  has "$(since "$place" cycle_finished)" '"VTMIRROR_OUTCOME":"complete"'
  is "$(since "$place" fetch_started)" ""
  has "$(vtmirror status --json)" "\"files\":$(grep -c . "$work/files"),"
  has "$(vtmirror status --json)" '"problems":[]'
  is "$(public_files)" "$(cat "$work/files")"
  is "$(modes /var/lib/vtmirror)" "750 vtmirror:vtmirror"
}
purged_with_two_mirrors() {
  inside install -d -o vtmirror -g vtmirror -m 0750 /srv/vehicles
  setting directory '"/srv/vehicles"'
  printf '[Service]\nReadWritePaths=/srv/vehicles\n' >"$root/etc/systemd/system/vtmirror.service.d/place.conf"
  inside systemctl daemon-reload
  inside systemctl stop vtmirror
  # An empty place is taken for a disk that is not mounted, until somebody says that it is to be filled.
  has "$(inside env CREDENTIALS_DIRECTORY=/srv/service vtmirror sync 2>&1)" "vtmirror sync --refill"
  inside env CREDENTIALS_DIRECTORY=/srv/service vtmirror sync --refill >"$work/refill" 2>&1
  inside systemctl start vtmirror
  [ -n "$(find "$root/srv/vehicles/v1" -name '*.zip')" ]
  inside apt-get purge --yes --quiet vtmirror >"$work/purge" 2>&1
  has "$(cat "$work/purge")" "/srv/vehicles "
  has "$(cat "$work/purge")" "/var/lib/vtmirror/mirror "
  mirror_stays
  is "$(inside find / -xdev \( -nouser -o -nogroup \))" ""
  is "$(inside find /var/lib/vtmirror -mindepth 1 -maxdepth 1)" /var/lib/vtmirror/mirror
}
