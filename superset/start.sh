#!/bin/sh
# Prepares Superset's metadata database, then serves. One process with threads is enough, because
# charts wait for the database, not for Python.
set -eu
python "$(dirname "$0")/prepare.py"
exec gunicorn --bind "${SUPERSET_BIND:-0.0.0.0:8088}" --workers 1 --worker-class gthread \
  --threads 16 --timeout 120 --keep-alive 75 "superset.app:create_app()"
