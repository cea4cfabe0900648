"""What all DAGs share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

#: One run at a time, nothing made up for the past.
SINGLE: dict[str, Any] = {
    "start_date": datetime(2026, 1, 1, tzinfo=UTC),
    "catchup": False,
    "max_active_runs": 1,
    "tags": ["event pipeline"],
}

#: A task that hangs must not keep the next run waiting for ever; none takes nearly as long.
LIMIT: dict[str, Any] = {"execution_timeout": timedelta(days=1)}

#: A database that restarts needs a moment: the wait doubles from try to try.
RETRY: dict[str, Any] = {
    **LIMIT,
    "retry_delay": timedelta(seconds=15),
    "retry_exponential_backoff": True,
    "max_retry_delay": timedelta(minutes=5),
}
