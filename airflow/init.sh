#!/usr/bin/env bash
# Migrates Airflow's database to this release and sets the administrator's password. Idempotent.
# Variables: ADMIN_PASSWORD_FILE (file with the password), AIRFLOW__CORE__FERNET_KEY_CMD (command
# that prints the Fernet keys).
set -euo pipefail

airflow db migrate
case "$(eval "${AIRFLOW__CORE__FERNET_KEY_CMD:-:}")" in
  *,*) airflow rotate-fernet-key ;;
esac
python "$(dirname "$0")/administrator.py"
