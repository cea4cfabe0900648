#!/usr/bin/env bash
# Brings the scheduler's database to what this release needs and sets the administrator's password.
# May be repeated. ADMIN_PASSWORD_FILE names the file that holds the password.
set -euo pipefail

airflow db migrate
python "$(dirname "$0")/administrator.py"
