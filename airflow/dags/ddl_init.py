"""Creates or verifies the databases and tables of every layer, and the topics.

`verify_only` changes nothing. The run fails if the schema or the topics differ from the
declaration, and the log of the failed task lists every difference.

Order after a wipe: `ddl_init`, `broker_load`, `etl_pipeline`, `make bi-init`.
"""

from __future__ import annotations

from airflow.sdk import DAG, Param

from event_pipeline.command import PipelineOperator
from event_pipeline.defaults import RETRY, SINGLE

VERIFY = "{{ '--verify' if params.verify_only else '' }}"

with DAG(
    "ddl_init",
    description="Databases and tables from 00_databases to 40_dm, and the topics",
    doc_md=__doc__,
    # A retry would find the same differences.
    default_args={**RETRY, "retries": 0},
    params={
        "verify_only": Param(
            False,
            type="boolean",
            title="Verify only",
            description="Change nothing; fail if schema or topics differ from the declaration.",
        )
    },
    schedule=None,
    is_paused_upon_creation=False,
    **SINGLE,
) as dag:
    apply_schema = PipelineOperator(
        task_id="apply_schema",
        arguments=["ddl", VERIFY],
        doc_md="Creates missing objects, replaces changed views, gives tables their new columns, "
        "and refuses other changes of tables.",
    )
    # Runs after the schema, because the epoch of the topics is registered in a table.
    apply_topics = PipelineOperator(
        task_id="apply_topics",
        arguments=["topics", VERIFY],
        doc_md="Creates missing topics, applies topic settings and registers the epoch.",
    )
    apply_schema >> apply_topics
