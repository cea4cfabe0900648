#!/bin/sh
# Prints why make refuses a variable of its command line. $1: names; further arguments: makefiles.
names=$1
shift
known=$(grep -ohE '[$][(][A-Z_]+[),]' "$@" | tr -d '$(),' | sort -u)
for name in $names; do
  # Names of programs, such as DOCKER_HOST, have an underscore.
  printf '%s\n' "$known" YES SHELL HOME PATH TMPDIR TZ COLUMNS | grep -qx "$name" && continue
  printf '%s' "$name" | grep -qE '^[A-Z0-9]+_[A-Z0-9_]+$' && continue
  upper=$(printf '%s' "$name" | tr '[:lower:]' '[:upper:]')
  nearest=$(printf '%s\n' "$known" | grep "^$upper" | head -n 1)
  hint="write $nearest="
  [ -n "$nearest" ] || hint='run make help-all, which names the variables'
  printf 'There is no variable %s. hint: %s' "$name" "$hint"
  exit
done
