#!/bin/sh
# Writes the hashed locks anew: sh superset/lock.sh (needs uv). Packages are those of this date,
# which Superset 6.1.0 was made for: later ones break it.
set -eu
cd "$(dirname "$0")"
lock() {
  uv pip compile --quiet --no-header --no-annotate --python-version 3.11 --generate-hashes \
    --exclude-newer 2026-06-15 "$@"
}
lock requirements.in --output-file requirements.txt
lock requirements-image.in --constraint requirements.txt --output-file requirements-image.txt
