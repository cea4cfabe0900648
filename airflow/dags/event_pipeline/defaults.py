"""Settings shared by all DAGs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

#: One run at a time, without catch-up.
SINGLE: dict[str, Any] = {
    "start_date": datetime(2026, 1, 1, tzinfo=UTC),
    "catchup": False,
    "max_active_runs": 1,
    "tags": ["event pipeline"],
}

#: A hanging task must not block later runs for ever; no task takes nearly as long.
LIMIT: dict[str, Any] = {"execution_timeout": timedelta(days=1)}

#: A restarting database needs a moment; the wait doubles with each try.
RETRY: dict[str, Any] = {
    **LIMIT,
    "retry_delay": timedelta(seconds=15),
    "retry_exponential_backoff": True,
    "max_retry_delay": timedelta(minutes=5),
}
