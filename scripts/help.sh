#!/bin/sh
# Lists the targets of the given makefiles: "target: … ## what it does".
grep -hE '^[a-z][a-z-]*:.*## ' "$@" | sort -u | while IFS= read -r line; do
  printf '  %-34s %s\n' "${line%%:*}" "${line#*## }"
done
