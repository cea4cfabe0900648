"""Loads a stored data set into the topics and waits until `stg` holds all messages.

Re-creating the topics starts a new epoch. Data of earlier epochs still count, but the latest
epoch wins per id. `replace` empties the layers first.

`pause_generator` pauses a generator that publishes. Keep the generator paused to keep the load. To
publish again, run `generator_control` with `clean_start` and `agree_to_loss`, which deletes all
rows. A history that the generator writes beside other rows counts twice.
"""

from __future__ import annotations

from airflow.sdk import DAG, Param

from event_pipeline.command import PipelineOperator
from event_pipeline.defaults import RETRY, SINGLE

with DAG(
    "broker_load",
    description="Loads a stored data set into the topics",
    doc_md=__doc__,
    # A retry without a reset would load the data twice.
    default_args={**RETRY, "retries": 0},
    params={
        "limit": Param(
            0,
            type="integer",
            minimum=0,
            title="Rows",
            description="Browser rows to load, with their sessions; 0 means all.",
        ),
        "reset_topics": Param(
            True,
            type="boolean",
            title="Reset topics",
            description="Re-create the topics before loading; otherwise append.",
        ),
        "pause_generator": Param(
            True,
            type="boolean",
            title="Pause the generator",
            description="Pause a publishing generator; otherwise the generator refuses a reset.",
        ),
        "replace": Param(
            False,
            type="boolean",
            title="Replace",
            description="Empty every layer first; requires Reset topics.",
        ),
        "agree_to_loss": Param(
            False,
            type="boolean",
            title="Agree to the loss",
            description="Allow Replace to remove existing rows.",
        ),
    },
    schedule=None,
    is_paused_upon_creation=False,
    **SINGLE,
) as dag:
    PipelineOperator(
        task_id="load_broker",
        arguments=[
            "data",
            "--limit",
            "{{ params.limit }}",
            "{{ '' if params.reset_topics else '--no-reset' }}",
            "{{ '' if params.pause_generator else '--no-pause-generator' }}",
            "{{ '--replace' if params.replace else '' }}",
            "{{ '--yes' if params.agree_to_loss else '' }}",
        ],
        doc_md="Publishes the data set, then waits until the database has stored all messages.",
    )
