"""Task functions of ``generator_control`` besides the generator's own commands."""

from __future__ import annotations

import logging
import time
from typing import Any

from airflow.exceptions import AirflowFailException
from airflow.models.dag import DagModel

from event_pipeline.runs import is_paused, unfinished

log = logging.getLogger(__name__)

ETL = "etl_pipeline"
OPERATIONS = ("backfill", "import", "continue", "clean_start")
#: Only a new history has a seed and a speed to choose.
NEW_HISTORY = ("backfill", "clean_start")
POLL_SECONDS = 3


def begin(params: dict[str, Any], **_: Any) -> str:
    """Return the task that comes next."""
    operation = params["operation"]
    chosen = [name for name in ("t_end", "seed", "speed") if params[name] is not None]
    if chosen and operation not in NEW_HISTORY:
        raise AirflowFailException(
            f"{', '.join(chosen)}: belong to {' and '.join(NEW_HISTORY)}, not to {operation}. "
            "A history keeps what it was begun with."
        )
    return "dry_run" if params["dry_run"] else "require_paused_etl"


def choose(params: dict[str, Any], **_: Any) -> str:
    """Return the task of the operation, which has its name."""
    return str(params["operation"])


def require_paused_etl() -> None:
    """Fail unless no load is running or can begin while the data change.

    Every task that changes data calls it again: somebody may have unpaused the DAG or cleared only
    that task.
    """
    if not is_paused(ETL):
        raise AirflowFailException(
            f"{ETL} is not paused: it would load a half-written history. Nothing was changed\n"
            f"  hint: pipeline dag pause {ETL}, then retry"
        )
    if unfinished(ETL):
        raise AirflowFailException(
            f"{ETL} is paused but has an unfinished run. Nothing was changed\n"
            f"  hint: pipeline dag unpause {ETL}, wait until the run has ended, pause it again"
        )


def unpause_etl() -> None:
    """Unpause the DAG for the run that follows."""
    _switch(is_paused_now=False)


def restore_pause(params: dict[str, Any], **_: Any) -> None:
    """Pause the DAG again; it was paused before.

    The pause would block a queued or running run, so it waits for those first, including one that
    begins just before the pause.
    """
    deadline = time.monotonic() + params["timeout_sec"]
    while True:
        _wait_until_idle(deadline)
        _switch(is_paused_now=True)
        if not unfinished(ETL):
            return
        _switch(is_paused_now=False)


def _wait_until_idle(deadline: float) -> None:
    while runs := unfinished(ETL):
        if time.monotonic() > deadline:
            raise AirflowFailException(
                f"{ETL} is left unpaused: a pause would block its unfinished run {runs[0]}\n"
                f"  hint: wait until it has ended, then pipeline dag pause {ETL}"
            )
        log.info("Waiting for %s to end before pausing %s", ", ".join(runs), ETL)
        time.sleep(POLL_SECONDS)


def _switch(*, is_paused_now: bool) -> None:
    model = DagModel.get_dagmodel(ETL)
    if model is None:
        raise AirflowFailException(f"There is no DAG {ETL}: see its import errors")
    model.set_is_paused(is_paused=is_paused_now)
    log.info("%s is %s", ETL, "paused" if is_paused_now else "unpaused")
