#!/usr/bin/env bash
# Brings the scheduler's database to what this release needs and sets the administrator's password.
# May be repeated. ADMIN_PASSWORD_FILE names the file that holds the password.
# AIRFLOW__CORE__FERNET_KEY_CMD prints the Fernet keys: more than one after a rotation.
set -euo pipefail

airflow db migrate
case "$(eval "${AIRFLOW__CORE__FERNET_KEY_CMD:-:}")" in
  *,*) airflow rotate-fernet-key ;;
esac
python "$(dirname "$0")/administrator.py"
