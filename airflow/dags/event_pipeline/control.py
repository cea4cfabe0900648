"""What the tasks of ``generator_control`` do beyond asking the generator."""

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
LOOK_EVERY_SECONDS = 3


def begin(params: dict[str, Any], **_: Any) -> str:
    """Task to go on with."""
    operation = params["operation"]
    chosen = [name for name in ("t_end", "seed", "speed") if params[name] is not None]
    if chosen and operation not in NEW_HISTORY:
        raise AirflowFailException(
            f"{', '.join(chosen)}: belong to {' and '.join(NEW_HISTORY)}, not to {operation}. "
            "A history keeps what it was begun with."
        )
    return "dry_run" if params["dry_run"] else "require_paused_etl"


def choose(params: dict[str, Any], **_: Any) -> str:
    """Task of the operation; it has the operation's name."""
    return str(params["operation"])


def require_paused_etl() -> None:
    """Fail unless no load can begin or be under way while the data changes.

    Asked for early, and again by each task that changes something: somebody may have unpaused it
    meanwhile, or cleared that task alone.
    """
    if not is_paused(ETL):
        raise AirflowFailException(
            f"{ETL} is not paused: it would load a half-written history. Nothing was changed.\n"
            f"  hint: pipeline dag pause {ETL} (or its switch in the list of DAGs), then this again"
        )
    if unfinished(ETL):
        raise AirflowFailException(
            f"{ETL} is paused, but a run of it is not finished. Nothing was changed.\n"
            f"  hint: pipeline dag unpause {ETL}, wait until the run has ended, pause it again"
        )


def unpause_etl() -> None:
    """Let the run that follows begin."""
    _switch(is_paused_now=False)


def restore_pause(params: dict[str, Any], **_: Any) -> None:
    """Leave it as it was found: nothing gets here unless it was paused.

    A run that is queued or running would stand still under the pause: it may end first. One that
    came between the look and the pause gets its time as well.
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
                f"{ETL} is left unpaused: its run {runs[0]} is not finished, and would stand still "
                f"under a pause.\n  hint: wait until it has ended, then pipeline dag pause {ETL}"
            )
        log.info("%s is not paused before %s has ended", ETL, ", ".join(runs))
        time.sleep(LOOK_EVERY_SECONDS)


def _switch(*, is_paused_now: bool) -> None:
    model = DagModel.get_dagmodel(ETL)
    if model is None:
        raise AirflowFailException(f"There is no DAG {ETL}: look at its import errors.")
    model.set_is_paused(is_paused=is_paused_now)
    log.info("%s is %s", ETL, "paused" if is_paused_now else "unpaused")
