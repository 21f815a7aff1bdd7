# shellcheck shell=bash disable=SC2154  # sourced by compare, which sets the variables
# What the rounds gave: medians, ratios to curl, and the table.

unsteady=()
# The columns of the table, and of a side's figures.
all_sides=(curl wget aria2c-8 aria2c-16 rclone-8 vtmirror vtmirror-first vtmirror-1 vtmirror-16 other other-first other-1 other-16)
declare -A number_of=([exit]=1 [durable]=2 [cpu]=3 [memory]=4)

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
column() { awk -v n="${number_of[$1]}" '{ print $n }' "$2"; }

# median_of LINE SIDE FIGURE
median_of() { column "$3" "$folder/rounds/$1/$2" | median; }
most_of() { column "$3" "$folder/rounds/$1/$2" | sort -g | tail -n 1; }

# ratio LINE SIDE BESIDE FIGURE: the median over the rounds of what BESIDE took for one of SIDE.
ratio() {
  paste -d ' ' <(column "$4" "$folder/rounds/$1/$3") <(column "$4" "$folder/rounds/$1/$2") | awk '{ print $1 / $2 }' | median
}

title_of() {
  case $1 in
    one) printf 'one file of %s MiB' "$mib" ;;
    capped) printf '40 MiB/s a connection, %s MiB' "$far_mib" ;;
    far40) printf '40 ms, window 2 MiB, %s MiB' "$far_mib" ;;
    far80) printf '80 ms, 1 Gbit/s in all, %s MiB' "$far_mib" ;;
    files) printf '8 files of 61 MiB' ;;
    idle) printf 'a cycle that finds nothing new' ;;
  esac
}

name_of() {
  local ours="vtmirror"
  [ "$(program_of "$1")" = vtmirror ] || ours="vtmirror (other)"
  case $1 in
    curl* | wget) printf '%s' "$1" ;;
    rclone-8) printf 'rclone, 8 streams' ;;
    aria2c-*) printf 'aria2c -x%s' "${1#*-}" ;;
    vtmirror | other) printf '%s' "$ours" ;;
    *-first) printf '%s, first file' "$ours" ;;
    *-1) printf '%s, 1 connection' "$ours" ;;
    *) printf '%s, %s connections' "$ours" "${1#*-}" ;;
  esac
}

# The absolute figures of the current line, which are not for the table: they change with whatever else the machine does.
show_line() {
  local file
  printf '  %-36s %9s %9s %9s %11s\n' '' 'exit s' 'durable s' 'CPU s' 'peak MiB'
  for file in "$folder/rounds/$line"/*; do
    printf '  %-36s %9s %9s %9s %11s\n' "$(name_of "$(basename "${file%.status}")")$([[ $file != *.status ]] || printf ', status')" \
      "$(column exit "$file" | median | seconds)" "$(column durable "$file" | median | seconds)" \
      "$(column cpu "$file" | median | seconds)" "$(column memory "$file" | sort -g | tail -n 1 | awk '{ printf "%.1f", $1 / 1024 }')"
  done
}
seconds() { awk '{ printf "%.3f", $1 / 1e6 }'; }

# --- the table ---------------------------------------------------------------------------------------------------------------

# cell LINE SIDE FIGURE: as the table shows it.
cell() {
  local figures=$folder/rounds/$1/$2
  [ "$3" != status ] || figures=$figures.status
  if [ ! -s "$figures" ]; then
    printf -- '-'
    return
  fi
  case $1:$3 in
    idle:status) awk -v us="$(column exit "$figures" | median)" 'BEGIN { printf "%.1f", us / 1e3 }' ;;
    idle:cpu) awk -v us="$(column cpu "$figures" | median)" 'BEGIN { printf "%.0f", us / 1e3 }' ;;
    *:memory) awk -v kib="$(most_of "$1" "$2" memory)" 'BEGIN { printf "%.0f", kib / 1024 }' ;;
    *:cpu) awk -v r="$(ratio "$1" "$2" curl cpu)" 'BEGIN { printf "%.2f", 1 / r }' ;;
    *) ratio "$1" "$2" curl "$3" | awk '{ printf $1 < 9.95 ? "%.2f" : "%.1f", $1 }' ;;
  esac
}

# row LINE FIGURE GOAL TITLE
row() {
  local side
  [[ ,$lines, == *,$1,* ]] || return 0
  printf '| %s |' "$4"
  for side in "${columns[@]}"; do printf ' %s |' "$(cell "$1" "$side" "$2")"; done
  printf ' %s |\n' "$3"
}

print_head() {
  local side
  printf '| speed beside curl (more is faster) |'
  for side in "${columns[@]}"; do printf ' %s |' "$(name_of "$side")"; done
  printf ' goal |\n|---|'
  for side in "${columns[@]}"; do printf -- '---|'; done
  printf -- '---|\n'
}

print_table() {
  local columns=() side
  for side in "${all_sides[@]}"; do
    is_ours "$side" || [[ $side != other* ]] || continue
    columns+=("$side")
  done
  printf '\n'
  print_head
  row one exit 1.35 "$(title_of one), exit"
  row one durable 1.95 'the same, durable'
  row one cpu 0.55 'the same, processor time (less is better)'
  row one memory '24 with one connection, 32 with sixteen' 'the same, peak memory in MiB'
  row capped exit 12 "$(title_of capped)"
  row far40 exit 6.5 "$(title_of far40)"
  row far80 exit 3.9 "$(title_of far80)"
  row files durable 1.7 "$(title_of files), durable (curl -Z, aria2c -j8, rclone --transfers 8)"
  row idle cpu 50 "$(title_of idle), processor time in ms"
  row idle status 10 "\`vtmirror status\` beside a daemon, ms"
  print_machine
  print_doubts
}

print_machine() {
  local side
  printf '\nMedians of %s rounds, with the sides in turn; nginx with TLS 1.3 on loopback; no side verifies. ' "$rounds"
  printf 'vtmirror finds the number of connections itself, and knows it from a longer file of the same store, except on a first file.\n'
  printf '\n%s, %s cores, Linux %s, Debian %s.\n' "$(date -u +%Y-%m-%d)" "$(nproc)" "$(uname -r)" "$(cat /etc/debian_version)"
  version curl --version 2
  version wget --version 3
  version aria2c --version 3
  version rclone version 2
  printf 'nginx %s' "$(nginx -v 2>&1 | sed 's/.*\///')"
  for side in vtmirror other; do
    [ -z "${binary[$side]:-}" ] || printf ', %s (%s)' "$("${binary[$side]}" --version | head -n 1)" "$side"
  done
  printf '.\n'
}

# version PROGRAM ARGUMENT FIELD: where its first line has the number.
version() {
  [ -n "${absent[$1]:-}" ] || printf '%s %s, ' "$1" "$("$1" "$2" 2>/dev/null | awk -v n="$3" 'NR == 1 { print $n }')"
}

print_doubts() {
  local doubt
  [ ${#unsteady[@]} -gt 0 ] || return 0
  printf '\nTHIS TABLE DOES NOT COUNT: the machine is too unsteady.\n'
  for doubt in "${unsteady[@]}"; do printf '  %s\n' "$doubt"; done
}
