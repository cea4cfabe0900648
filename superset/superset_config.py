"""Settings of the stack's Superset: what differs from its defaults, and why.

Secrets are files of the folder EVENT_PIPELINE_SECRETS, never variables: a container's environment
can be read by everyone who may inspect it.
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


# Signs sessions and encrypts the passwords of database connections. All processes share one.
SECRET_KEY = _required("secret-key")
# After a rotation: prepare.py reads with it what was encrypted before, once.
PREVIOUS_SECRET_KEY = _secret("previous-secret-key")

# Users, charts and dashboards; without SUPERSET_METADATA_URI there is nothing to start with.
SQLALCHEMY_DATABASE_URI = (
    make_url(os.environ["SUPERSET_METADATA_URI"])
    .set(password=_secret("metadata-password"))
    .render_as_string(hide_password=False)
)

# Charts show what the marts hold now: the data moves, and ClickHouse answers faster than a cache
# would be worth. Superset's states of filters stay in its own database.
CACHE_CONFIG = {"CACHE_TYPE": "NullCache"}
DATA_CACHE_CONFIG = CACHE_CONFIG

# One process serves: counting attempts to log in needs no server of its own.
RATELIMIT_STORAGE_URI = "memory://"

# Browsers fetch from this address alone: neither Superset's counting pixel nor map tiles leave it.
# Plain HTTP, as the stack listens on this machine; encryption belongs to whatever publishes it further.
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

# Jinja would let an author of a dataset read the settings; nothing here needs it.
FEATURE_FLAGS = {"ENABLE_TEMPLATE_PROCESSING": False}


def FLASK_APP_MUTATOR(_app: object) -> None:
    """A chart drawn by day that is sorted by its time: ORDER BY names the day, as GROUP BY does.

    Otherwise Superset writes the column's expression, `session.started_at`, which is not grouped by.
    """
    from superset.db_engine_specs.clickhouse import ClickHouseConnectEngineSpec

    ClickHouseConnectEngineSpec.allows_hidden_cc_in_orderby = True


# Rows of a chart when its author names no number, and at most.
ROW_LIMIT = 10_000
SQL_MAX_ROW = 100_000
SUPERSET_WEBSERVER_TIMEOUT = 60
