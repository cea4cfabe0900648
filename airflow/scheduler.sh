#!/usr/bin/env bash
# Runs the scheduler, and upkeep.sh at every start and every six hours.
# Variable: LOG_DAYS (days to keep logs and finished runs).
set -euo pipefail

here="$(dirname "$0")"

upkeep() {
  while true; do
    bash "$here/upkeep.sh" || echo "airflow/upkeep.sh failed; next attempt in six hours" >&2
    sleep 21600
  done
}

upkeep &
# The API server reads the logs from the volume.
exec airflow scheduler --skip-serve-logs
