#!/bin/sh
# Regenerates the hashed locks: sh superset/lock.sh (needs uv). The date limits packages to those of
# Superset 6.1.0; later ones break it.
set -eu
cd "$(dirname "$0")"
lock() {
  uv pip compile --quiet --no-header --no-annotate --python-version 3.11 --generate-hashes \
    --exclude-newer 2026-06-15 "$@"
}
lock requirements.in --output-file requirements.txt
lock requirements-image.in --constraint requirements.txt --output-file requirements-image.txt
