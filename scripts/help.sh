#!/bin/sh
# Lists the targets of the given makefiles by file: its first comment, then "target: … ## what it does".
for file in "$@"; do
  targets=$(grep -hE '^[a-z][a-z-]*:.*## ' "$file" | sort -u)
  [ -n "$targets" ] || continue
  printf '\n%s\n' "$(sed -n '1s/^# \([^.:]*\).*/\1/p' "$file")"
  printf '%s\n' "$targets" | while IFS= read -r line; do
    printf '  %-34s %s\n' "${line%%:*}" "${line#*## }"
  done
done
