#!/usr/bin/env bash
# Creates cluster, user and database at the first start, then runs the given command.
set -euo pipefail

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password="${POSTGRES_PASSWORD:-}"
  if [ -n "${POSTGRES_PASSWORD_FILE:-}" ]; then password="$(cat "$POSTGRES_PASSWORD_FILE")"; fi
  if [ -z "$password" ]; then
    echo "error: POSTGRES_PASSWORD is not set; POSTGRES_PASSWORD_FILE is also allowed" >&2
    exit 1
  fi
  user="${POSTGRES_USER:-postgres}"
  initdb --username "$user" --pwfile <(printf '%s\n' "$password") --auth-host scram-sha-256 \
    --auth-local trust --encoding UTF8 >/dev/null
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  database="${POSTGRES_DB:-$user}"
  if [ "$database" != postgres ]; then
    echo "CREATE DATABASE \"$database\"" | postgres --single -D "$PGDATA" postgres >/dev/null
  fi
fi

exec "$@"
