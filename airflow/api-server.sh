#!/usr/bin/env bash
# Runs the API server, which also serves the web page.
# Variable: PASSWORDS_FILE (JSON of user names and passwords).
set -euo pipefail

# Airflow opens the file for writing, because it adds passwords that are missing.
install -m 600 "$PASSWORDS_FILE" "$AIRFLOW_HOME/simple_auth_manager_passwords.json.generated"
exec airflow api-server
