# shellcheck shell=bash
# Checks that say what they found: a line "ok" or "not ok" each, with a sentence of the domain. The first that fails ends the run.

checks=0

# check SENTENCE COMMAND...: the command's output is shown only when it fails.
check() {
  local sentence=$1
  shift
  checks=$((checks + 1))
  # Not as a condition: there "set -e" would do nothing.
  local status=0
  (
    set -e
    "$@"
  ) >"$work/output" 2>&1 &
  wait $! || status=$?
  if [ $status = 0 ]; then
    printf 'ok %d - %s\n' "$checks" "$sentence"
  else
    printf 'not ok %d - %s\n# %s\n' "$checks" "$sentence" "$*"
    sed 's/^/# /' "$work/output"
    show_state
    exit 1
  fi
}

# The machine cannot do it: reported, and not a failure. ctest knows the status as that of a skipped test.
skip() {
  printf 'skipped: %s\n' "$*"
  exit 77
}

fail() {
  printf '%s\n' "$*" >&2
  return 1
}

# Both are for check: what differs is what its output shows.
is() {
  [ "$1" = "$2" ] || fail "expected: $2" $'\n'"but it is: $1"
}
has() {
  case $1 in *"$2"*) ;; *) fail "expected: ... $2 ..." $'\n'"but it is: $1" ;; esac
}
has_not() {
  case $1 in *"$2"*) fail "not expected: $2" $'\n'"but it is in: $1" ;; esac
}

# refused STATUS COMMAND...: ends with that status; what it said is printed.
refused() {
  local expected=$1 status=0
  shift
  "$@" 2>&1 || status=$?
  is "$status" "$expected"
}

# await COMMAND...: until it is true, for at most 30 seconds.
await() {
  local end=$((SECONDS + 30))
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $end ]; then
      fail "waited in vain for: $*"
      return 1
    fi
    sleep 0.1
  done
}
