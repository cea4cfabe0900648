"""Loads new data while the generator is live: the batch process in one task.

The DAG is created paused; live mode unpauses it (`pipeline dag unpause etl_live`). A run does
nothing while `etl_pipeline` is paused or running.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import DAG
from airflow.sdk.exceptions import AirflowSkipException

from event_pipeline.command import PipelineOperator
from event_pipeline.defaults import RETRY, SINGLE
from event_pipeline.runs import is_free


def require_free_etl(ti: Any) -> None:
    """Skips the task if etl_pipeline is paused or has an unfinished run."""
    if not is_free(ti, "etl_pipeline"):
        raise AirflowSkipException("etl_pipeline is paused or has an unfinished run")


with DAG(
    "etl_live",
    description="Loads new data incrementally, over and over",
    doc_md=__doc__,
    # contract/schedule.ts
    schedule=timedelta(seconds=30),
    is_paused_upon_creation=True,
    default_args=RETRY,
    **SINGLE,
) as dag:
    # A task takes seconds to start, so the steps are not tasks of their own as in etl_pipeline.
    PipelineOperator(
        task_id="load",
        arguments=["transform", "--no-full-refresh"],
        guard=require_free_etl,
        retries=2,
        doc_md="Loads new rows; does nothing if etl_pipeline is paused or has an unfinished run.",
    )
