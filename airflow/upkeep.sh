#!/usr/bin/env bash
# Removes logs and finished runs older than LOG_DAYS days. After a failure, continues with the
# next step and exits with 1.
set -uo pipefail

logs="$AIRFLOW__LOGGING__BASE_LOG_FOLDER"
status=0
find "$logs" -type f -mtime "+$LOG_DAYS" -delete || status=1
# Keeps folders of today, because a task may be about to write into one.
find "$logs" -mindepth 2 -type d -empty -mtime +0 -delete || status=1
# Keeps the table `dag`, because cleaning it after a long downtime would lose paused states.
airflow db clean --yes --skip-archive \
  --tables callback,dag_run,import_error,job,log,revoked_token,task_instance,task_instance_history,task_reschedule,trigger,xcom \
  --clean-before-timestamp "$(date --utc --date "$LOG_DAYS days ago" +%Y-%m-%dT%H:%M:%S)" || status=1
exit "$status"
