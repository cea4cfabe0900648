#!/usr/bin/env bash
# Removes logs and finished runs that are older than LOG_DAYS days. What fails keeps nothing else from
# being done, and ends it with 1.
set -uo pipefail

logs="$AIRFLOW__LOGGING__BASE_LOG_FOLDER"
status=0
find "$logs" -type f -mtime "+$LOG_DAYS" -delete || status=1
# A folder of today may have been made for a task that is about to write into it.
find "$logs" -mindepth 2 -type d -empty -mtime +0 -delete || status=1
# The table of DAGs is left out: after a long time down it would lose all, and with them what is paused.
airflow db clean --yes --skip-archive \
  --tables callback_request,dag_run,import_error,job,log,session,task_fail,task_instance,task_instance_history,task_reschedule,trigger,xcom \
  --clean-before-timestamp "$(date --utc --date "$LOG_DAYS days ago" +%Y-%m-%dT%H:%M:%S)" || status=1
exit "$status"
