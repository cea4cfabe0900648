"""Loads new data every five minutes while the generator is live.

The DAG is created paused; live mode unpauses it (`pipeline dag unpause etl_live`). A run does
nothing while `etl_pipeline` is paused or running.
"""

from __future__ import annotations

from datetime import timedelta

from airflow import DAG
from airflow.operators.python import ShortCircuitOperator
from airflow.operators.trigger_dagrun import TriggerDagRunOperator

from event_pipeline.defaults import LIMIT, SINGLE
from event_pipeline.runs import is_free

with DAG(
    "etl_live",
    description="Runs etl_pipeline incrementally every five minutes",
    doc_md=__doc__,
    schedule=timedelta(minutes=5),
    is_paused_upon_creation=True,
    default_args=LIMIT,
    **SINGLE,
) as dag:
    etl_is_free = ShortCircuitOperator(
        task_id="etl_is_free",
        python_callable=is_free,
        op_args=["etl_pipeline"],
        doc_md="Skips the other tasks if etl_pipeline is paused or has an unfinished run.",
    )
    trigger_etl = TriggerDagRunOperator(
        task_id="trigger_etl",
        trigger_dag_id="etl_pipeline",
        conf={"full_refresh": False},
        doc_md="Starts etl_pipeline without waiting for the end.",
    )
    etl_is_free >> trigger_etl
