"""Writes a history with the generator, then runs the batch process.

| operation | effect | allowed environment |
|---|---|---|
| `backfill` | writes the history up to `t_end` | empty, or with this history unfinished |
| `import` | publishes a data set, by default the sample | empty, or with this import unfinished |
| `continue` | goes live from the end of the history | with a finished history |
| `clean_start` | removes all data, then backfill and live | empty, or any with `agree_to_loss` |

`etl_pipeline` must be paused (`pipeline dag pause etl_pipeline`, or the switch in the list of
DAGs), because a load would read a half-written history. When the generator is done, this DAG
unpauses and runs `etl_pipeline`, and pauses it again after the last run. `dry_run` only shows
what would happen. A history of more than a million page events needs `max_events`.
"""

from __future__ import annotations

from airflow.providers.standard.operators.python import BranchPythonOperator, PythonOperator
from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import DAG, Param, TriggerRule

from event_pipeline import control
from event_pipeline.command import PipelineOperator
from event_pipeline.defaults import RETRY, SINGLE

HISTORY = [
    "{{ '--t-end=' ~ params.t_end if params.t_end else '' }}",
    "{{ '--seed=' ~ params.seed if params.seed is not none else '' }}",
    "{{ '--speed=' ~ params.speed if params.speed else '' }}",
    "{{ '--max-events=' ~ params.max_events if params.max_events else '' }}",
]
AGREED = "{{ '--yes' if params.agree_to_loss else '' }}"
DATASET = "{{ '--dataset=' ~ params.dataset if params.dataset is not none else '' }}"
WAIT = "--wait={{ params.timeout_sec }}"

PARAMS = {
    "operation": Param(
        "backfill",
        enum=list(control.OPERATIONS),
        title="Operation",
        description="Operation that the generator runs.",
    ),
    "t_end": Param(
        None,
        type=["null", "string"],
        title="End of the history",
        description="Model time like 2026-01-08T00:00:00Z or now-1h; default: GEN_MODEL_T_END.",
    ),
    "speed": Param(
        None,
        type=["null", "number"],
        exclusiveMinimum=0,
        title="Speed",
        description="Model seconds per wall-clock second of a backfill or clean start.",
    ),
    "seed": Param(
        None,
        type=["null", "string", "integer"],
        title="Seed",
        description="Seed of a backfill or clean start; equal seeds give equal bytes.",
    ),
    "max_events": Param(
        None,
        type=["null", "integer"],
        minimum=1,
        title="Largest history",
        description="Allow a history of so many page events; default: GEN_MAX_BACKFILL_EVENTS.",
    ),
    "dataset": Param(
        None,
        type=["null", "string", "integer"],
        title="Data set",
        description="Folder of an import, as a path in the generator; default: GEN_DATA_DIR, or "
        "the sample if that is empty.",
    ),
    "agree_to_loss": Param(
        False,
        type="boolean",
        title="Agree to the loss",
        description="Allow a clean start to remove existing data.",
    ),
    "timeout_sec": Param(
        3600,
        type="integer",
        minimum=10,
        title="Time for the generator, seconds",
        description="Time after which the run fails if the generator is not done.",
    ),
    "dry_run": Param(
        False,
        type="boolean",
        title="Dry run",
        description="Show what would happen, and change nothing.",
    ),
}

with DAG(
    "generator_control",
    description="Runs backfill, import, continue or clean start, then the batch process",
    doc_md=__doc__,
    schedule=None,
    is_paused_upon_creation=False,
    # A retry would be refused again; a started operation resumes in the next run.
    default_args={**RETRY, "retries": 0},
    params=PARAMS,
    **SINGLE,
) as dag:
    begin = BranchPythonOperator(
        task_id="begin",
        python_callable=control.begin,
        doc_md="Refuses contradicting parameters, and selects the dry run or the operation.",
    )
    dry_run = PipelineOperator(
        task_id="dry_run",
        arguments=[
            *("generator", "dry-run", "{{ params.operation }}", "--json"),
            *(DATASET, AGREED, *HISTORY),
        ],
        returns_json=True,
        doc_md="Shows what the generator would do; the decision is returned as XCom.",
    )
    require_paused_etl = PythonOperator(
        task_id="require_paused_etl",
        python_callable=control.require_paused_etl,
        doc_md="Fails unless etl_pipeline is paused and has no unfinished run.",
    )
    require_clean = PipelineOperator(
        task_id="require_clean",
        arguments=[
            *("generator", "dry-run", "{{ params.operation }}", "--require"),
            *(DATASET, AGREED, *HISTORY),
        ],
        doc_md="Fails if the generator would refuse the operation.",
    )
    choose = BranchPythonOperator(
        task_id="choose",
        python_callable=control.choose,
        doc_md="Selects the task of the operation; the other tasks are skipped.",
    )
    commands = {
        "backfill": ["backfill", WAIT, *HISTORY],
        "import": ["import", WAIT, DATASET],
        "continue": ["continue", WAIT],
        # Needs the confirmation again: data may be new, or only this task was cleared.
        "clean_start": ["clean-start", AGREED, WAIT, *HISTORY],
    }
    operations = [
        PipelineOperator(
            task_id=name,
            arguments=["generator", *words],
            guard=control.require_paused_etl,
            doc_md="Checks again that etl_pipeline is paused, and runs the operation to the end.",
        )
        for name, words in commands.items()
    ]
    wait_until_stored = PipelineOperator(
        task_id="wait_until_stored",
        arguments=["stored"],
        trigger_rule=TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS,
        doc_md="Waits until stg holds all messages that are now in the topics.",
    )
    unpause_etl = PipelineOperator(
        task_id="unpause_etl",
        arguments=["dag", "unpause", control.ETL],
        doc_md="Unpauses etl_pipeline for run_etl; restore_pause pauses it again.",
    )
    run_etl = TriggerDagRunOperator(
        task_id="run_etl",
        trigger_dag_id=control.ETL,
        conf={"full_refresh": True},
        wait_for_completion=True,
        poke_interval=3,
        doc_md="Runs etl_pipeline with a full refresh; fails if that run fails.",
    )
    restore_pause = PythonOperator(
        task_id="restore_pause",
        python_callable=control.restore_pause,
        trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS,
        # Retries because a killed task leaves etl_pipeline unpaused.
        retries=3,
        doc_md="Pauses etl_pipeline again after the last run, whether it succeeded or failed.",
    )
    report = PipelineOperator(
        task_id="report",
        arguments=["generator", "report", "--json"],
        returns_json=True,
        doc_md="Reports manifest and reconciliation in the log and as XCom, also after a failed "
        "run; fails if a message is missing.",
    )

    begin >> [dry_run, require_paused_etl]
    require_paused_etl >> require_clean >> choose >> operations >> wait_until_stored
    # The leaf tasks `run_etl` and `report` decide the state of the run; a teardown does not.
    unpause_etl.as_setup() >> run_etl >> restore_pause.as_teardown(setups=unpause_etl)
    wait_until_stored >> unpause_etl
    restore_pause >> report
