"""Asks the generator for a history, then runs the batch process on it.

| operation | what happens | allowed where there is |
|---|---|---|
| `backfill` | writes the history up to `t_end` | nothing, or this history unfinished |
| `import` | publishes a stored data set as the history | nothing, or this import unfinished |
| `continue` | goes live from the end of the history | a finished history |
| `clean_start` | removes all, then backfill and live | nothing, or with `agree_to_loss` anything |

Nothing is changed unless `etl_pipeline` is paused (`pipeline dag pause etl_pipeline`, or its switch
in the list of DAGs): a load meanwhile would see half of it. When the generator is done, this DAG
unpauses `etl_pipeline`, runs it, and pauses it again once no run of it is left. With `dry_run` it
only shows what would happen.
"""

from __future__ import annotations

from airflow import DAG
from airflow.models.param import Param
from airflow.operators.python import BranchPythonOperator, PythonOperator
from airflow.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.utils.trigger_rule import TriggerRule

from event_pipeline import control
from event_pipeline.command import PipelineOperator
from event_pipeline.defaults import RETRY, SINGLE

HISTORY = [
    "{{ '--t-end=' ~ params.t_end if params.t_end else '' }}",
    "{{ '--seed=' ~ params.seed if params.seed is not none else '' }}",
    "{{ '--speed=' ~ params.speed if params.speed else '' }}",
]
AGREED = "{{ '--yes' if params.agree_to_loss else '' }}"
DATASET = "{{ '--dataset=' ~ params.dataset if params.dataset is not none else '' }}"
WAIT = "--wait={{ params.timeout_sec }}"

PARAMS = {
    "operation": Param(
        "backfill",
        enum=list(control.OPERATIONS),
        title="Operation",
        description="Operation of the generator.",
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
        description="Model seconds per second of a backfill or clean start; stored with it.",
    ),
    "seed": Param(
        None,
        type=["null", "string", "integer"],
        title="Seed",
        description="Same seed, same bytes, of a backfill or clean start; stored with it.",
    ),
    "dataset": Param(
        None,
        type=["null", "string", "integer"],
        title="Data set",
        description="Folder of an import as the generator sees it; default: GEN_DATA_DIR.",
    ),
    "agree_to_loss": Param(
        False,
        type="boolean",
        title="Agree to the loss",
        description="Lets a clean start remove what is there.",
    ),
    "timeout_sec": Param(
        3600,
        type="integer",
        minimum=10,
        title="Time for the generator, seconds",
        description="The run fails when the generator is not done within it.",
    ),
    "dry_run": Param(
        False,
        type="boolean",
        title="Dry run",
        description="Show what would happen; change nothing.",
    ),
}

with DAG(
    "generator_control",
    description="Backfill, import, continue or clean start; then the batch process",
    doc_md=__doc__,
    schedule=None,
    is_paused_upon_creation=False,
    # A refusal repeats; a started operation continues in the next run.
    default_args={**RETRY, "retries": 0},
    params=PARAMS,
    **SINGLE,
) as dag:
    begin = BranchPythonOperator(
        task_id="begin",
        python_callable=control.begin,
        doc_md="Refuses parameters that contradict each other; goes on with the dry run or all.",
    )
    dry_run = PipelineOperator(
        task_id="dry_run",
        arguments=[
            *("generator", "dry-run", "{{ params.operation }}", "--json"),
            *(DATASET, AGREED, *HISTORY),
        ],
        returns_json=True,
        doc_md="Shows what the generator would do; its answer is the XCom.",
    )
    require_paused_etl = PythonOperator(
        task_id="require_paused_etl",
        python_callable=control.require_paused_etl,
        doc_md="Fails unless etl_pipeline is paused and no run of it is in progress.",
    )
    require_clean = PipelineOperator(
        task_id="require_clean",
        arguments=[
            *("generator", "dry-run", "{{ params.operation }}", "--require"),
            *(DATASET, AGREED, *HISTORY),
        ],
        doc_md="Fails if the generator would refuse, e.g. because the environment is not empty.",
    )
    choose = BranchPythonOperator(
        task_id="choose",
        python_callable=control.choose,
        doc_md="Continues with the task of the operation; the others are skipped.",
    )
    commands = {
        "backfill": ["backfill", WAIT, *HISTORY],
        "import": ["import", WAIT, DATASET],
        "continue": ["continue", WAIT],
        # Confirmed again here: somebody may have loaded data since, or cleared only this task.
        "clean_start": ["clean-start", AGREED, WAIT, *HISTORY],
    }
    operations = [
        PipelineOperator(
            task_id=name,
            arguments=["generator", *words],
            guard=control.require_paused_etl,
            doc_md="Checks again that etl_pipeline is paused, then sends the request and waits.",
        )
        for name, words in commands.items()
    ]
    wait_until_stored = PipelineOperator(
        task_id="wait_until_stored",
        arguments=["stored"],
        trigger_rule=TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS,
        doc_md="Waits until stg holds everything the topics hold now.",
    )
    unpause_etl = PythonOperator(
        task_id="unpause_etl",
        python_callable=control.unpause_etl,
        doc_md="Unpauses etl_pipeline for the next task; restore_pause pauses it again.",
    )
    run_etl = TriggerDagRunOperator(
        task_id="run_etl",
        trigger_dag_id=control.ETL,
        conf={"full_refresh": True},
        wait_for_completion=True,
        poke_interval=3,
        doc_md="Fails when the run of etl_pipeline fails.",
    )
    restore_pause = PythonOperator(
        task_id="restore_pause",
        python_callable=control.restore_pause,
        trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS,
        # If killed while it waits, it would leave etl_pipeline unpaused.
        retries=3,
        doc_md="Pauses etl_pipeline again once it has no unfinished run, whatever its outcome.",
    )
    report = PipelineOperator(
        task_id="report",
        arguments=["generator", "report", "--json"],
        returns_json=True,
        doc_md="Manifest and ledger, in the log and as XCom, also when the run of etl_pipeline has "
        "failed; fails when a message is missing.",
    )

    begin >> [dry_run, require_paused_etl]
    require_paused_etl >> require_clean >> choose >> operations >> wait_until_stored
    # The leaf tasks `run_etl` and `report` decide the run's state; a teardown does not.
    unpause_etl.as_setup() >> run_etl >> restore_pause.as_teardown(setups=unpause_etl)
    wait_until_stored >> unpause_etl
    restore_pause >> report
