#!/bin/sh
# Lists the targets of makefiles by group. A target is "name: … ## Group: description", or "## Group*: …" if it needs
# the running stack.
for group in Start Stack Data Monitoring Development; do
  printf '\n%s\n' "$group"
  sed -nE "s/^([a-z][a-z-]*):.*## $group(\*?): (.*)/\1|\2|\3/p" "$@" | sed 's/[$][$]/$/' | while IFS='|' read -r target mark text; do
    printf '  %-1s %-32s %s\n' "$mark" "$target" "$text"
  done
done
printf '\n* needs the running stack. Without a stack: ./pipeline --help\n'
