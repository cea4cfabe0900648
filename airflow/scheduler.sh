#!/usr/bin/env bash
# The scheduler, and beside it what keeps logs and run history from growing for ever: at every start
# and every six hours.
# LOG_DAYS: days that logs and finished runs are kept.
set -euo pipefail

here="$(dirname "$0")"

upkeep() {
  while true; do
    bash "$here/upkeep.sh" || echo "airflow/upkeep.sh failed; it runs again in six hours" >&2
    sleep 21600
  done
}

upkeep &
exec airflow scheduler
