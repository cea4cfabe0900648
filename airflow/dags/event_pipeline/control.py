"""Task functions of ``generator_control``, except the generator's commands."""

from __future__ import annotations

import logging
import time
from typing import Any

from airflow.exceptions import AirflowFailException
from airflow.models.dag import DagModel

from event_pipeline.runs import is_paused, unfinished

log = logging.getLogger(__name__)

ETL = "etl_pipeline"
LIVE_ETL = "etl_live"
#: Commands in a clone; the switch in the list of DAGs does the same.
PAUSE = f"./pipeline stack run -- dag pause {ETL}"
UNPAUSE = f"./pipeline stack run -- dag unpause {ETL}"
OPERATIONS = ("backfill", "import", "continue", "clean_start")
#: Parameters of a new history, and the operations that accept them.
HISTORY_PARAMS = ("t_end", "seed", "speed", "max_events")
NEW_HISTORY = ("backfill", "clean_start")
POLL_SECONDS = 3


def begin(params: dict[str, Any], **_: Any) -> str:
    """Returns the id of the next task."""
    operation = params["operation"]
    chosen = ", ".join(name for name in HISTORY_PARAMS if params[name] is not None)
    if chosen and operation not in NEW_HISTORY:
        raise AirflowFailException(
            f"Not allowed with {operation}: {chosen}. Allowed with: {', '.join(NEW_HISTORY)}\n"
            f"  hint: remove {chosen}, then retry"
        )
    return "dry_run" if params["dry_run"] else "require_paused_etl"


def choose(params: dict[str, Any], **_: Any) -> str:
    """Returns the id of the operation's task: the name of the operation."""
    return str(params["operation"])


def require_paused_etl() -> None:
    """Fails if a load is running or could begin while the data change.

    Every task that changes data repeats the check, because the DAG may have been unpaused since.
    """
    if not is_paused(ETL):
        raise AirflowFailException(
            f"{ETL} is not paused and would load a half-written history. Nothing was changed\n"
            f"  hint: run {PAUSE}, then retry"
        )
    if unfinished(ETL):
        raise AirflowFailException(
            f"{ETL} is paused but has an unfinished run. Nothing was changed\n"
            f"  hint: run {UNPAUSE}, wait for the end of the run, then pause again"
        )
    # A live load that began before the pause ends by itself; later ones skip.
    running = set(unfinished(LIVE_ETL))
    while running := running & set(unfinished(LIVE_ETL)):
        log.info("Waiting for %s to end", ", ".join(running))
        time.sleep(POLL_SECONDS)


def unpause_etl() -> None:
    """Unpauses etl_pipeline for the next run."""
    _switch(is_paused_now=False)


def restore_pause(params: dict[str, Any], **_: Any) -> None:
    """Pauses etl_pipeline again.

    Waits for unfinished runs first, because a pause would block them.
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
                f"{ETL} is still unpaused: a pause would block the unfinished run {runs[0]}\n"
                f"  hint: wait for the end of the run, then run {PAUSE}"
            )
        log.info("Waiting for %s to end before pausing %s", ", ".join(runs), ETL)
        time.sleep(POLL_SECONDS)


def _switch(*, is_paused_now: bool) -> None:
    model = DagModel.get_dagmodel(ETL)
    if model is None:
        raise AirflowFailException(f"Airflow has no DAG {ETL}\n  hint: see its import errors")
    model.set_is_paused(is_paused=is_paused_now)
    log.info("%s is %s", ETL, "paused" if is_paused_now else "unpaused")
