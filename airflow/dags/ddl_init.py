"""Creates, or verifies, the databases and tables of every layer.

`verify_only` changes nothing: the run fails if the live schema or the topics differ from the
declaration, and the failed task's log lists every difference. Topics are verified after the schema.

Order after a wipe: `ddl_init`, `broker_load`, `etl_pipeline`, `make bi-init`.
"""

from __future__ import annotations

from airflow import DAG
from airflow.models.param import Param

from event_pipeline.command import PipelineOperator
from event_pipeline.defaults import RETRY, SINGLE

VERIFY = "{{ '--verify' if params.verify_only else '' }}"

with DAG(
    "ddl_init",
    description="Databases and tables from 00_databases to 40_dm, and the topics",
    doc_md=__doc__,
    # A retry finds the same differences.
    default_args={**RETRY, "retries": 0},
    params={
        "verify_only": Param(
            False,
            type="boolean",
            title="Verify only",
            description="Change nothing; fail if the schema or the topics are not as declared.",
        )
    },
    schedule=None,
    is_paused_upon_creation=False,
    **SINGLE,
) as dag:
    apply_schema = PipelineOperator(
        task_id="apply_schema",
        arguments=["ddl", VERIFY],
        doc_md="Creates what is missing, replaces changed views, refuses changed tables.",
    )
    # Also registers the topics' epoch for new tables.
    apply_topics = PipelineOperator(
        task_id="apply_topics",
        arguments=["topics", VERIFY],
        doc_md="Creates missing topics, puts their settings right, registers their epoch.",
    )
    apply_schema >> apply_topics
