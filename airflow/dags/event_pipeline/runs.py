"""Functions that read the state of DAGs."""

from __future__ import annotations

from airflow.exceptions import AirflowFailException
from airflow.models.dag import DagModel
from airflow.models.dagrun import DagRun
from airflow.utils.state import DagRunState


def is_paused(dag_id: str) -> bool:
    """Returns whether the DAG is paused."""
    model = DagModel.get_dagmodel(dag_id)
    if model is None:
        raise AirflowFailException(f"Airflow has no DAG {dag_id}\n  hint: see its import errors")
    return bool(model.is_paused)


def unfinished(dag_id: str) -> list[str]:
    """Returns the ids of the DAG's running and queued runs."""
    return [
        str(run.run_id)
        for state in (DagRunState.RUNNING, DagRunState.QUEUED)
        for run in DagRun.find(dag_id=dag_id, state=state)
    ]


def is_busy(dag_id: str) -> bool:
    """Returns whether a run of the DAG is running or queued."""
    return bool(unfinished(dag_id))


def is_free(dag_id: str) -> bool:
    """Returns whether a new run would start at once."""
    return not is_paused(dag_id) and not is_busy(dag_id)
