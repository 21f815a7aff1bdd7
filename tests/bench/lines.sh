# shellcheck shell=bash disable=SC2154  # sourced by compare, which sets the variables
# The lines: which program downloads what, and from where, and the rounds in which it is measured.

# ours MANNER...: vtmirror as each binary, without a manner and with each of these.
ours() {
  local which manner
  for which in vtmirror other; do
    [ -n "${binary[$which]:-}" ] || continue
    printf '%s\n' "$which"
    for manner in "$@"; do printf '%s-%s\n' "$which" "$manner"; done
  done
}

# Sets `line`, its `names` and its `sides`; makes its files.
prepare_line() {
  local day name size
  line=$1
  case $line in
    control) names=("$(bulk 15 11)") size=$mib sides=(curl-a curl-b) ;;
    one) names=("$(bulk 15 11)") size=$mib && mapfile -t sides < <(peers curl wget aria2c-8 aria2c-16 rclone-8 && ours first 1 16) ;;
    capped | far40 | far80)
      names=("$(bulk 14 11)") size=$far_mib && mapfile -t sides < <(peers curl aria2c-8 aria2c-16 rclone-8 && ours first 16)
      ;;
    files) size=61 && name_week 10 && mapfile -t sides < <(peers curl aria2c-8 rclone-8 && ours first) ;;
    idle) size=1 && name_week 9 && mapfile -t sides < <(ours) ;;
  esac
  mkdir -p "$folder/$line" "$folder/rounds/$line"
  for name in "${names[@]}"; do [ -e "$folder/store/$name" ] || make_file "$folder/store/$name" "$size"; done
}

# name_week MONTH: a bulk file and seven deltas.
name_week() {
  local day
  names=("$(bulk 12 "$1")")
  for day in {13..19}; do names+=("$(delta "$day" "$1")"); done
}

# Of SIDES, those whose program is there.
peers() {
  local side
  for side in "$@"; do
    [ -n "${absent[$(program_of "$side")]:-}" ] || printf '%s\n' "$side"
  done
}

# vtmirror learns the number of connections from a file that is as long as a bulk file, for this line: one of an earlier week, which it keeps.
# Zeros will do, and the file has holes, in the mirror too. Each round begins with the mirror as it is then: one that had lost that file would
# have a problem to report.
teach() {
  local side command
  truncate -s "${learn_mib}M" "$folder/store/learn"
  write_listing "$line" "$(entry "$line" "$(bulk 1 2)" learn)"
  for side in "${sides[@]}"; do
    is_ours "$side" || continue
    write_settings "$side"
    [ -z "$(manner_of "$side")" ] || continue
    find_command "$side"
    run_command "$side"
    fallocate --dig-holes "$folder/$line/$side/mirror/$(bulk 1 2)"
    tar -C "$folder/$line/$side" -S -cf "$folder/$line/$side.tar" .
  done
}

# order ROUND: the sides, rotated by the round, and reversed every other time.
order() {
  local number count=${#sides[@]} place
  for ((number = 0; number < count; ++number)); do
    place=$number
    [ $(($1 % 2)) = 0 ] || place=$((count - 1 - number))
    printf '%s\n' "${sides[$(((place + $1 / 2) % count))]}"
  done
}

run_rounds() {
  local round side figures
  for ((round = 0; round <= rounds; ++round)); do
    for side in $(order "$round"); do
      figures=$(run_side "$side" "$round")
      [ "$round" = 0 ] || printf '%s\n' "$figures" >>"$folder/rounds/$line/$side"
    done
    printf '%s ' "$([ "$round" = 0 ] && printf 'warm' || printf '%s' "$round")"
  done
  printf '\n'
}

compare_control() {
  local column factor name
  prepare_line control
  printf '\n%s MiB, curl beside curl; rounds: ' "$mib"
  run_rounds
  show_line
  for column in exit durable; do
    factor=$(ratio control curl-a curl-b $column)
    printf 'curl / curl, %s: %.2f\n' "$column" "$factor"
    awk -v f="$factor" 'BEGIN { exit f < 0.93 || f > 1.07 }' || unsteady+=("curl / curl, $column, is $(printf %.2f "$factor")")
  done
  rm -rf "${folder:?}/control"
}

measure_line() {
  prepare_line "$1"
  printf '\n%s; rounds: ' "$(title_of "$line")"
  teach
  make_listing "$line" "${names[@]}"
  run_rounds
  show_line
  case $line in far*) check_distance ;; esac
  rm -rf "${folder:?}/$line" "$folder/store/learn"
}

# What one window for each round trip gives: without the proxy's own cost, curl would need three round trips to connect and ask, and a few more
# until its window has grown from 14 KiB to 2 MiB.
check_distance() {
  local trip=${line#far} took
  took=$(median_of "$line" curl exit)
  awk -v ms="$trip" -v us="$took" -v mib="$far_mib" -v line="$line" 'BEGIN {
    line_rate = 2 / (ms / 1e3); rate = (mib - 4) / (us / 1e6 - 10.5 * ms / 1e3)
    printf "curl through the proxy: %.1f MiB/s after the start; window / round trip: %.1f\n", rate, line_rate
    exit rate < 0.9 * line_rate || rate > 1.1 * line_rate }' || unsteady+=("the proxy of $line does not keep its round trip")
}

# --- nothing to do -----------------------------------------------------------------------------------------------------------

measure_idle() {
  local side
  prepare_line idle
  printf '\n%s; rounds: ' "$(title_of idle)"
  make_listing idle "${names[@]}"
  for side in "${sides[@]}"; do
    write_settings "$side"
    run_side "$side" 0 >/dev/null
  done
  repeat_cycle
  for side in "${sides[@]}"; do measure_status "$side"; done
  show_line
  rm -rf "${folder:?}/idle"
}

repeat_cycle() {
  local round side command
  for ((round = 0; round <= rounds; ++round)); do
    for side in $(order "$round"); do
      find_command "$side"
      run_command "$side"
      [ "$round" = 0 ] || awk '{ print $1, $1, $2, $3 }' "$folder/figures" >>"$folder/rounds/idle/$side"
    done
    printf '%s ' "$round"
  done
  printf '\n'
}

# The time of `vtmirror status` beside a daemon whose first cycle has ended.
measure_status() {
  local program=${binary[$(program_of "$1")]} settings=$folder/idle/$1.toml daemon round command
  "$program" --config "$settings" run >"$folder/daemon.out" 2>&1 &
  daemon=$!
  processes+=("$daemon")
  for ((round = 0; round < 200; ++round)); do
    ! "$program" --config "$settings" status >"$folder/output" 2>&1 || break
    sleep 0.1
  done
  sleep 2
  command=("$program" --config "$settings" status)
  for ((round = 0; round < 4 * rounds; ++round)); do
    run_command "$1"
    awk '{ print $1, $1, $2, $3 }' "$folder/figures" >>"$folder/rounds/idle/$1.status"
  done
  kill "$daemon"
  wait "$daemon" || true
  unset "processes[-1]"
}
