"""Settings of all DAGs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

#: Settings of a DAG with one run at a time, without catch-up.
SINGLE: dict[str, Any] = {
    "start_date": datetime(2026, 1, 1, tzinfo=UTC),
    "catchup": False,
    "max_active_runs": 1,
    "tags": ["event pipeline"],
}

#: Time limit of a task, so that a hanging task does not block later runs.
LIMIT: dict[str, Any] = {"execution_timeout": timedelta(days=1)}

#: Retries for a database that restarts; the wait doubles with each try.
RETRY: dict[str, Any] = {
    **LIMIT,
    "retry_delay": timedelta(seconds=15),
    "retry_exponential_backoff": True,
    "max_retry_delay": timedelta(minutes=5),
}
