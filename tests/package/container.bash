# shellcheck shell=bash
# A Debian 12 with a systemd of its own, in a container without network: made, booted, asked, powered off.
# Never killed: a container that is killed can take mounts and processes of the machine along.

# Each reason says what would help.
require_programs() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || skip "$program is not installed (packaging/dependencies names its package)"
  done
}
require_root() { [ "$(id -u)" = 0 ] || skip "only root can boot a container: $*"; }

# The machine's own sources of Debian packages.
apt_sources() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    if [ -s "$file" ] && grep -q 'bookworm' "$file" && grep -q '\bmain\b' "$file"; then printf '%s\n' "$file"; fi
  done
}

# What the package depends on, by name, the first of alternatives; the container has no network to fetch it over.
packages_of_the_package() { dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/ //g' | sort | paste -sd ,; }
packages_of_the_root() { printf 'systemd,systemd-sysv,libpam-systemd,dbus,passwd,%s' "$(packages_of_the_package)"; }

# make_root_archive NAME PACKAGES: a root as an archive, kept from one run to the next for as long as it has the same packages.
make_root_archive() {
  local name=$1 packages=$2 cache proxy='' options=() sources
  cache=${XDG_CACHE_HOME:-${HOME:-$work}/.cache}/vtmirror
  mkdir -p "$cache" 2>/dev/null || cache=$work
  archive=$cache/$name-$(sha256sum <<<"$packages" | cut -c 1-12).tar
  [ ! -s "$archive" ] || return 0
  rm -f "$cache/$name"-*
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  [ -z "$proxy" ] || options+=("--aptopt=Acquire::http::Proxy \"$proxy\"")
  mapfile -t sources < <(apt_sources)
  printf '# making the root of the container, for this and later runs\n'
  if ! timeout 240 mmdebstrap --quiet --variant=minbase --include="$packages" "${options[@]}" bookworm "$cache/new.tar" \
    "${sources[@]}" </dev/null >"$work/mmdebstrap" 2>&1; then
    rm -f "$cache/new.tar"
    skip "mmdebstrap cannot make a Debian 12 root here, and none was made before: $(grep -m 1 "^[EW]:" "$work/mmdebstrap" || tail -n 1 "$work/mmdebstrap")"
  fi
  mv "$cache/new.tar" "$archive"
}

make_root() {
  make_root_archive bookworm "$(packages_of_the_root)"
  root=$work/root
  rm -rf "$root"
  mkdir -p "$root"
  tar -C "$root" -xf "$archive" --exclude='./dev/*'
  printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
  rm -f "$root/etc/resolv.conf"
}

boot() {
  systemd-nspawn --quiet --directory="$root" --machine=vtmirror-test --register=no --keep-unit --boot --private-network \
    --console=pipe </dev/null >"$work/console" 2>&1 &
  container=$!
  if ! await is_up 2>/dev/null; then
    skip "systemd does not come up in a container here: $(grep -v '^$' "$work/console" | tail -n 1)"
  fi
}
is_up() {
  leader=$(pgrep -P "$container" -o) || return 1
  case $(inside systemctl is-system-running) in running | degraded) ;; *) return 1 ;; esac
}

# inside COMMAND...: runs it in the container, as root.
inside() {
  nsenter --target "$leader" --all -- /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}

# A program of the machine's own, in the container's network.
in_its_network() { nsenter --target "$leader" --net -- "$@"; }

power_off() {
  [ -n "${container:-}" ] || return 0
  if [ -n "${leader:-}" ]; then inside systemctl --no-block poweroff >/dev/null 2>&1 || true; fi
  # SIGTERM asks nspawn for the same.
  await gone 2>/dev/null || kill -TERM "$container" 2>/dev/null || true
  wait "$container" 2>/dev/null || true
  container=''
}
gone() { ! kill -0 "$container"; }
