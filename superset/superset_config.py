"""Settings of the stack's Superset that differ from its defaults.

Secrets are files in EVENT_PIPELINE_SECRETS, because everyone who may inspect a container can read
its environment.
"""

import os
from pathlib import Path

from sqlalchemy.engine.url import make_url

_SECRETS = Path(os.environ.get("EVENT_PIPELINE_SECRETS", "/run/event-pipeline"))


def _secret(name: str) -> str | None:
    path = _SECRETS / name
    return (path.read_text().strip() or None) if path.exists() else None


def _required(name: str) -> str:
    value = _secret(name)
    if value is None:
        raise SystemExit(f"The secret {_SECRETS / name} is missing; hint: make up")
    return value


# Signs sessions and encrypts the passwords of database connections.
SECRET_KEY = _required("secret-key")
# After a rotation, prepare.py decrypts old values with it once.
PREVIOUS_SECRET_KEY = _secret("previous-secret-key")

# Metadata database with users, charts and dashboards.
SQLALCHEMY_DATABASE_URI = (
    make_url(os.environ["SUPERSET_METADATA_URI"])
    .set(password=_secret("metadata-password"))
    .render_as_string(hide_password=False)
)

# No cache, so that charts show current data; ClickHouse is fast enough without one.
CACHE_CONFIG = {"CACHE_TYPE": "NullCache"}
DATA_CACHE_CONFIG = CACHE_CONFIG

# One process counts login attempts, so it needs no external store.
RATELIMIT_STORAGE_URI = "memory://"

# Browsers load from this address only, without Superset's telemetry pixel and map tiles. Plain HTTP,
# because the stack listens on this machine.
TALISMAN_ENABLED = True
TALISMAN_CONFIG = {
    "content_security_policy": {
        "base-uri": ["'self'"],
        "default-src": ["'self'"],
        "img-src": ["'self'", "blob:", "data:"],
        "worker-src": ["'self'", "blob:"],
        "connect-src": ["'self'"],
        "object-src": "'none'",
        "style-src": ["'self'", "'unsafe-inline'"],
        "font-src": ["'self'", "data:"],
        "script-src": ["'self'", "'strict-dynamic'"],
    },
    "content_security_policy_nonce_in": ["script-src"],
    "force_https": False,
    "session_cookie_secure": False,
}
SESSION_COOKIE_SAMESITE = "Lax"

# Jinja would let an author of a dataset read the settings.
FEATURE_FLAGS = {"ENABLE_TEMPLATE_PROCESSING": False}


def FLASK_APP_MUTATOR(_app: object) -> None:
    """Makes ORDER BY use the alias of a truncated time column, because GROUP BY uses it as well."""
    from superset.db_engine_specs.clickhouse import ClickHouseConnectEngineSpec

    ClickHouseConnectEngineSpec.allows_hidden_cc_in_orderby = True


# Default and maximum number of rows of a chart.
ROW_LIMIT = 10_000
SQL_MAX_ROW = 100_000
SUPERSET_WEBSERVER_TIMEOUT = 60
