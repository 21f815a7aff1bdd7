# shellcheck shell=bash
# The days of a test, and what their files are called.

# In a zone where it is about noon, no day ends during the test.
noon_zone() {
  local hour
  hour=$(date -u +%-H)
  if [ "$hour" -gt 12 ]; then echo "Etc/GMT+$((hour - 12))"; else echo "Etc/GMT-$((12 - hour))"; fi
}
# day today|tomorrow
day() { TZ=$(noon_zone) date -d "$1" +%F; }

# delta_of DATE: its name, without the directories.
delta_of() { printf 'delta-light-vehicle_%s.zip' "$(date -d "$1" +%d-%m-%Y)"; }
