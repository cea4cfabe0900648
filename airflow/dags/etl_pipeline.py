"""The batch process: raw rows become typed ones, events and clicks, and the marts for BI.

Its steps and their order come from `sql/etl/plan.yaml`. `assert_dds_integrity` has no retries: when
events without a click turn up, the run ends at once and `dm` keeps its previous content.

A run may be cleared and run again at any point: every step gives the same result when repeated.
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
