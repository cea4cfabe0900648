"""The batch process: raw rows become typed ones, events and clicks, and the marts for BI.

`sql/etl/plan.yaml` defines the steps and their order. `assert_dds_integrity` has no retries: events
without a click end the run at once, and `dm` keeps its previous content. Every step is idempotent,
so a run may be cleared and repeated at any point.
"""

from __future__ import annotations

from airflow import DAG
from airflow.models.baseoperator import chain
from airflow.models.param import Param

from event_pipeline.command import PipelineOperator
from event_pipeline.defaults import RETRY, SINGLE
from event_pipeline.plan import read_plan

with DAG(
    "etl_pipeline",
    description="ods, dds, the integrity gate, dm",
    doc_md=__doc__,
    default_args=RETRY,
    params={
        "full_refresh": Param(
            True,
            type="boolean",
            title="Full refresh",
            description="Clear the dds layer and rebuild it; otherwise take only what is new.",
        ),
        "wait_stg_timeout_sec": Param(
            600,
            type="integer",
            minimum=30,
            title="Wait for data, seconds",
            description="How long wait_for_stg_data waits for rows in stg before it fails.",
        ),
    },
    schedule=None,
    is_paused_upon_creation=False,
    **SINGLE,
) as dag:
    chain(
        *(
            PipelineOperator(
                task_id=step.id,
                arguments=[
                    "step",
                    step.id,
                    "--wait",
                    "{{ params.wait_stg_timeout_sec }}",
                    "{{ '' if params.full_refresh else '--no-full-refresh' }}",
                ],
                retries=step.retries,
                doc_md=step.about,
            )
            for step in read_plan()
        )
    )
