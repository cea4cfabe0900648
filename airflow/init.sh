#!/usr/bin/env bash
# Migrates Airflow's database to this release, and encrypts stored secrets with a new Fernet key.
# Idempotent. Variable: AIRFLOW__CORE__FERNET_KEY_CMD (command that prints the Fernet keys).
set -euo pipefail

airflow db migrate
case "$(eval "${AIRFLOW__CORE__FERNET_KEY_CMD:-:}")" in
  *,*) airflow rotate-fernet-key ;;
esac
