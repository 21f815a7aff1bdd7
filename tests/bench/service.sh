# shellcheck shell=bash disable=SC2154  # sourced by compare and large, which set the variables
# The service: one nginx is issuer, API and store at once. Proxies in front of its store stand for distance.

declare -A port

# --- a run of the bench --------------------------------------------------------------------------------------------------------

die() {
  printf '%s: %s\n' "$title" "$*" >&2
  exit 1
}

# `title` is the name of the run. Sets `folder`, which is removed at the end, as each of `processes` is ended.
make_folder() {
  local place=${BENCH_DIRECTORY:-$PWD/build}
  mkdir -p "$place"
  folder=$(mktemp -d "$place/$title.XXXXXX")
  processes=()
  trap clean_up EXIT
  trap 'exit 130' INT TERM
}

clean_up() {
  local process
  for process in "${processes[@]}"; do
    kill "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  done
  rm -rf "$folder"
}

# --- the service itself --------------------------------------------------------------------------------------------------------

# Random bytes: holes and zeros would be cheaper than a real file to read and to send.
make_file() {
  mkdir -p "$(dirname "$1")"
  head -c "$(($2 * 1048576))" /dev/urandom >"$1"
}

# bulk DAY MONTH, delta DAY MONTH: the name of a file.
bulk() { printf 'v1/public/bulk/year=2026/month=%d/day=%d/bulk-light-vehicle_%02d-%02d-2026.zip' "$2" "$1" "$1" "$2"; }
delta() { printf 'v1/public/delta/year=2026/month=%d/day=%d/delta-light-vehicle_%02d-%02d-2026.zip' "$2" "$1" "$1" "$2"; }

make_certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null
}

# build_tools NAME...: of the programs beside this file.
build_tools() {
  local name
  for name in "$@"; do
    "${CXX:-c++}" -std=c++20 -O2 -o "$folder/$name" "$here/$name.cpp" -lz || die "cannot build $name"
  done
}

# nginx_server PORT [LIMIT]
nginx_server() {
  cat <<END_OF_SERVER
  server {
    listen 127.0.0.1:$1 ssl;
    ${2:-}
    root $folder/store;
    location /listing/ { root $folder; limit_rate 0; }
    location = /token { error_page 405 =200 /token; alias $folder/token; }
  }
END_OF_SERVER
}

# A single process, which ends when it gets a signal. AES-128-GCM for all sides.
nginx_configuration() {
  cat <<END_OF_HEAD
daemon off; master_process off; pid $folder/nginx.pid; error_log $folder/error.log;
events { worker_connections 1024; }
http {
  log_format ends '\$msec'; access_log ${access_log:-off}; default_type application/json; sendfile on; tcp_nopush on;
  client_body_temp_path $folder/t1; proxy_temp_path $folder/t2; fastcgi_temp_path $folder/t3;
  uwsgi_temp_path $folder/t4; scgi_temp_path $folder/t5;
  ssl_certificate $folder/cert.pem; ssl_certificate_key $folder/key.pem;
  ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
END_OF_HEAD
  nginx_server "${port[one]}"
  nginx_server "${port[capped]}" "limit_rate ${limit:-40m};"
  printf '}\n'
}

start_nginx() {
  port[one]=$("$folder/free_port")
  port[capped]=$("$folder/free_port")
  [ "${port[one]}" != "${port[capped]}" ] || port[capped]=$("$folder/free_port")
  port[files]=${port[one]} port[idle]=${port[one]} port[control]=${port[one]}
  mkdir -p "$folder/listing" "$folder/store"
  printf '{"token_type":"Bearer","expires_in":3599,"ext_expires_in":3599,"access_token":"bench"}\n' >"$folder/token"
  nginx_configuration >"$folder/nginx.conf"
  nginx -c "$folder/nginx.conf" -p "$folder" 2>"$folder/nginx.out" &
  processes+=($!)
  curl -sf -o /dev/null --retry 50 --retry-delay 1 --retry-connrefused --cacert "$folder/cert.pem" -d x=y \
    "https://localhost:${port[one]}/token" || die "nginx does not answer: $(cat "$folder/nginx.out" "$folder/error.log")"
}

# start_far LINE ROUND_TRIP_MS WINDOW_KIB [MBIT]
start_far() {
  mkfifo "$folder/far"
  "$folder/far_line" "${port[one]}" "${@:2}" >"$folder/far" &
  processes+=($!)
  read -r "port[$1]" <"$folder/far" || die "the proxy of the line $1 did not start"
  rm "$folder/far"
}

start_service() {
  make_certificate
  build_tools free_port measure far_line
  start_nginx
  start_far far40 40 2048
  start_far far80 80 2048 1000
}

# --- listings ----------------------------------------------------------------------------------------------------------------

# entry LINE NAME FILE: an entry of a listing, whose link leads to FILE below the store.
entry() {
  local query created
  query="X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=$(date -u +%Y%m%dT%H%M%SZ)&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
  query="$query&X-Amz-Credential=bench&X-Amz-Signature=00"
  [[ $2 =~ _([0-9]{2})-([0-9]{2})-([0-9]{4}) ]]
  created=${BASH_REMATCH[3]}-${BASH_REMATCH[2]}-${BASH_REMATCH[1]}
  printf '{"filename":"%s","downloadUrl":"%s","fileSize":%d,"fileCreatedOn":"%s"}' \
    "$2" "https://localhost:${port[$1]}/$3?$query" "$(stat -c %s "$folder/store/$3")" "$created"
}

# make_listing LINE NAME...: a bulk file and deltas.
make_listing() {
  local entries=() name
  for name in "${@:2}"; do entries+=("$(entry "$1" "$name" "$name")"); done
  write_listing "$1" "${entries[@]}"
}

# write_listing LINE BULK DELTA...
write_listing() {
  local IFS=,
  printf '{"bulk":[%s],"delta":[%s]}\n' "$2" "${*:3}" >"$folder/listing/$1"
}
