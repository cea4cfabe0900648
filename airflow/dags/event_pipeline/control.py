"""Task functions of ``generator_control``, except the generator's commands."""

from __future__ import annotations

import logging
import subprocess
import time
from typing import Any

from airflow.sdk import TaskInstanceState
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from event_pipeline.command import CLI
from event_pipeline.runs import is_busy, is_paused

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


def require_paused_etl(ti: Any, **_: Any) -> None:
    """Fails if a load is running or could begin while the data change.

    Every task that changes data repeats the check, because the DAG may have been unpaused since.
    """
    if not is_paused(ti, ETL):
        raise AirflowFailException(
            f"{ETL} is not paused and would load a half-written history. Nothing was changed\n"
            f"  hint: run {PAUSE}, then retry"
        )
    if is_busy(ti, ETL):
        raise AirflowFailException(
            f"{ETL} is paused but has an unfinished run. Nothing was changed\n"
            f"  hint: run {UNPAUSE}, wait for the end of the run, then pause again"
        )
    # A live load that began before the pause ends by itself; later ones skip. Its run does not
    # count, because a run of a paused DAG never ends.
    while ti.get_ti_count(dag_id=LIVE_ETL, states=[TaskInstanceState.RUNNING]):
        log.info("Waiting for %s to end", LIVE_ETL)
        time.sleep(POLL_SECONDS)


def restore_pause(ti: Any, params: dict[str, Any], **_: Any) -> None:
    """Pauses etl_pipeline again.

    Waits for unfinished runs first, because a pause would block them.
    """
    deadline = time.monotonic() + params["timeout_sec"]
    while True:
        _wait_until_idle(ti, deadline)
        _switch("pause")
        if not is_busy(ti, ETL):
            return
        _switch("unpause")


def _wait_until_idle(ti: Any, deadline: float) -> None:
    while is_busy(ti, ETL):
        if time.monotonic() > deadline:
            raise AirflowFailException(
                f"{ETL} is still unpaused: a pause would block its unfinished run\n"
                f"  hint: wait for the end of the run, then run {PAUSE}"
            )
        log.info("Waiting for %s to end before pausing it", ETL)
        time.sleep(POLL_SECONDS)


def _switch(word: str) -> None:
    done = subprocess.run([*CLI, "dag", word, ETL], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AirflowException(done.stderr.strip())
    log.info("%s", done.stdout.strip())
