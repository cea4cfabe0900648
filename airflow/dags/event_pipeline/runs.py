"""Functions that read the state of DAGs. A task asks the API server, not the metadata database."""

from __future__ import annotations

from typing import Any

from airflow.sdk import DagRunState


def is_paused(ti: Any, dag_id: str) -> bool:
    """Returns whether the DAG is paused."""
    return bool(ti.get_dag(dag_id).is_paused)


def is_busy(ti: Any, dag_id: str) -> bool:
    """Returns whether a run of the DAG is running or queued."""
    states = [DagRunState.RUNNING, DagRunState.QUEUED]
    return bool(ti.get_dr_count(dag_id=dag_id, states=states))


def is_free(ti: Any, dag_id: str) -> bool:
    """Returns whether a new run would start at once."""
    return not is_paused(ti, dag_id) and not is_busy(ti, dag_id)
