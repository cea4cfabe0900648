"""Runs the batch process: types raw rows, builds events and sessions, and fills the marts.

`sql/etl/plan.yaml` defines the steps and the order. `assert_dds_integrity` has no retries: events
without a session end the run at once, and `dm` keeps its previous content. Every step is
idempotent, so a run may be cleared and repeated at any point.
"""

from __future__ import annotations

from airflow.sdk import DAG, Param, chain

from event_pipeline.command import PipelineOperator
from event_pipeline.defaults import RETRY, SINGLE
from event_pipeline.plan import read_plan

with DAG(
    "etl_pipeline",
    description="Loads ods and dds, checks integrity, loads dm",
    doc_md=__doc__,
    default_args=RETRY,
    params={
        "full_refresh": Param(
            True,
            type="boolean",
            title="Full refresh",
            description="Compute dds and dm as a whole; otherwise load only new rows.",
        ),
        "wait_stg_timeout_sec": Param(
            600,
            type="integer",
            minimum=30,
            title="Wait for data, seconds",
            description="Time after which wait_for_stg_data fails without rows in stg.",
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
