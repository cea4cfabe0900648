"""Loads the stored data set into the broker and waits until the raw layer holds all of it.

Recreating the topics starts a new epoch. Data of earlier epochs still count, and the latest
epoch wins per id; `replace` empties the layers first.

A publishing generator is paused (`pause_generator`) and stays paused: keep it paused to keep the
load. `generator_control` with `clean_start` and `agree_to_loss` removes the load and starts it
again.
"""

from __future__ import annotations

from airflow import DAG
from airflow.models.param import Param

from event_pipeline.command import PipelineOperator
from event_pipeline.defaults import RETRY, SINGLE

with DAG(
    "broker_load",
    description="Stored data into the broker's topics",
    doc_md=__doc__,
    # Without a reset a retry would load the data twice.
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
            description="Recreate the topics before loading; otherwise append.",
        ),
        "pause_generator": Param(
            True,
            type="boolean",
            title="Pause the generator",
            description="Pause a generator that publishes; otherwise it refuses the reset.",
        ),
        "replace": Param(
            False,
            type="boolean",
            title="Replace",
            description="Empty every layer first; needs the reset of the topics.",
        ),
        "agree_to_loss": Param(
            False,
            type="boolean",
            title="Agree to the loss",
            description="Lets Replace remove the rows that are there.",
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
        doc_md="Publishes the data set, then waits until the database has stored it.",
    )
