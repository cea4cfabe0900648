"""Other DAGs as seen from a task: paused, busy."""

from __future__ import annotations

from airflow.exceptions import AirflowFailException
from airflow.models.dag import DagModel
from airflow.models.dagrun import DagRun
from airflow.utils.state import DagRunState


def is_paused(dag_id: str) -> bool:
    """Whether nobody starts new tasks of the DAG."""
    model = DagModel.get_dagmodel(dag_id)
    if model is None:
        raise AirflowFailException(f"There is no DAG {dag_id} (yet): look at its import errors.")
    return bool(model.is_paused)


def unfinished(dag_id: str) -> list[str]:
    """Ids of the DAG's runs that are running or wait to."""
    return [
        str(run.run_id)
        for state in (DagRunState.RUNNING, DagRunState.QUEUED)
        for run in DagRun.find(dag_id=dag_id, state=state)
    ]


def is_busy(dag_id: str) -> bool:
    """Whether a run of the DAG is running or waits to."""
    return bool(unfinished(dag_id))


def is_free(dag_id: str) -> bool:
    """Whether a new run would start at once."""
    return not is_paused(dag_id) and not is_busy(dag_id)
