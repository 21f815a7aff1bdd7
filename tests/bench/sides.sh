# shellcheck shell=bash disable=SC2154  # sourced by compare and large, which set the variables
# The sides: how each program downloads the files of the current line, and what it costs.
#
# The name of a side is a program and how it is used: aria2c-8 has 8 connections. Of vtmirror's own, `vtmirror` finds the number of connections
# and knows it from an earlier file of the same store, `vtmirror-first` does not know it, `vtmirror-16` has sixteen. `other` is another binary.

declare -A absent
checks=${checks-$'verify = "size"\ndigest = "none"'} # as settings; no other side makes any

look_for_peers() {
  local peer
  for peer in wget aria2c rclone; do
    command -v "$peer" >/dev/null || absent[$peer]="it is not installed"
    [ -z "${absent[$peer]:-}" ] || printf 'without %s: %s\n' "$peer" "${absent[$peer]}"
  done
}

program_of() { printf '%s' "${1%%-*}"; }
manner_of() { case $1 in *-*) printf '%s' "${1#*-}" ;; esac }

is_ours() { [ -n "${binary[$(program_of "$1")]:-}" ]; }

# --- settings of vtmirror ----------------------------------------------------------------------------------------------------

# write_settings SIDE: of vtmirror, on the current line. Where the number of connections is found, no setting says so: it is the default.
write_settings() {
  local state=$folder/$line/$1 connections=
  case $(manner_of "$1") in [0-9]*) connections="connections = $(manner_of "$1")" ;; esac
  mkdir -p "$state"
  (
    umask 077
    printf secret >"$folder/client_secret"
    printf key >"$folder/api_key"
  )
  cat >"$state.toml" <<END_OF_SETTINGS
[service]
base_url = "https://localhost:${port[one]}"
token_url = "https://localhost:${port[one]}/token"
listing_path = "/listing/$line"
scope = "https://bench.example/.default"
ca_file = "$folder/cert.pem"
[credentials]
client_id = "bench"
client_secret_file = "$folder/client_secret"
api_key_file = "$folder/api_key"
[mirror]
state_directory = "$state"
reserve = "1MiB"
$checks
[download]
$connections
[control]
socket = "$folder/control.sock"
group = ""
END_OF_SETTINGS
}

# --- what each side runs and leaves ------------------------------------------------------------------------------------------

# Sets `outputs`, in the order of `names`.
find_outputs() {
  local name
  outputs=()
  for name in "${names[@]}"; do
    if is_ours "$1"; then
      outputs+=("$folder/$line/$1/mirror/$name")
    elif [ "$(program_of "$1")" = rclone ] && [ ${#names[@]} -gt 1 ]; then
      outputs+=("$folder/$line/$1/$name")
    else
      outputs+=("$folder/$line/$1/$(basename "$name")")
    fi
  done
}

# Empties a side. If vtmirror is to know the number of connections, the earlier mirror is restored.
free_side() {
  local state=$folder/$line/$1
  if [ -e "$state.tar" ]; then
    rm -rf "${outputs[@]}" "$state/mirror/.vtmirror" "$state/mirror/current" "$state"/catalogue.db*
    tar -C "$state" -xf "$state.tar"
  else
    rm -rf "${state:?}" && mkdir -p "$state"
  fi
}

url_of() { printf 'https://localhost:%s/%s' "${port[$line]}" "$1"; }

# Sets `command`.
find_command() {
  local manner place=$folder/$line/$1 name
  manner=$(manner_of "$1")
  case $(program_of "$1") in
    curl)
      command=(curl -q -sS -f --cacert "$folder/cert.pem")
      [ ${#names[@]} = 1 ] || command+=(-Z)
      for name in "${names[@]}"; do command+=(-o "$place/$(basename "$name")" "$(url_of "$name")"); done
      ;;
    wget) command=(wget --no-config -q --ca-certificate "$folder/cert.pem" -P "$place" "$(url_of "${names[0]}")") ;;
    aria2c)
      command=(aria2c --no-conf --quiet --file-allocation=falloc --ca-certificate "$folder/cert.pem" -d "$place")
      if [ ${#names[@]} = 1 ]; then
        command+=(-x "$manner" -s "$manner" -k 1M "$(url_of "${names[0]}")")
      else
        for name in "${names[@]}"; do url_of "$name" && printf '\n'; done >"$folder/$line/urls"
        command+=(-j "$manner" -i "$folder/$line/urls")
      fi
      ;;
    rclone)
      command=(rclone --config= --ca-cert "$folder/cert.pem" --http-url "https://localhost:${port[$line]}/" --ignore-checksum)
      if [ ${#names[@]} = 1 ]; then
        command+=(--multi-thread-streams "$manner" --multi-thread-cutoff 1M copy ":http:${names[0]}" "$place")
      else
        printf '%s\n' "${names[@]}" >"$folder/$line/names"
        command+=(--transfers "$manner" --no-traverse --files-from-raw "$folder/$line/names" copy :http: "$place")
      fi
      ;;
    *) command=("${binary[$(program_of "$1")]}" --config "$place.toml" sync) ;;
  esac
}

# --- a run -------------------------------------------------------------------------------------------------------------------

run_command() {
  "$folder/measure" "$folder/figures" "${command[@]}" >"$folder/output" 2>&1 ||
    die "$1 failed on the line $line: ${command[*]}: $(tail -n 5 "$folder/output" "$folder/error.log")"
}

# run_side SIDE ROUND: prints "EXIT DURABLE CPU PEAK": microseconds to the end of the program and until its files are durable, of processor
# time, and KiB. In round 0 every byte is compared, later the sizes.
run_side() {
  local command outputs before exit cpu peak
  find_outputs "$1"
  find_command "$1"
  free_side "$1"
  run_command "$1"
  read -r exit cpu peak <"$folder/figures"
  before=${EPOCHREALTIME/./}
  sync "${outputs[@]}" || die "$1 left no file on the line $line"
  printf '%s %s %s %s\n' "$exit" "$((exit + ${EPOCHREALTIME/./} - before))" "$cpu" "$peak"
  check_outputs "$1" "$2"
}

check_outputs() {
  local number source
  for number in "${!names[@]}"; do
    source=$folder/store/${names[$number]}
    [ "$(stat -c %s "${outputs[$number]}")" = "$(stat -c %s "$source")" ] || die "$1, line $line: ${names[$number]} has another size"
    [ "$2" != 0 ] || cmp -s "${outputs[$number]}" "$source" || die "$1, line $line: ${names[$number]} has other bytes than the source"
  done
}
