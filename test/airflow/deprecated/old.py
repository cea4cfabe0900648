"""Uses deprecated APIs at import, as an argument and in a task: the recorder must see all three."""

from datetime import datetime

from airflow import DAG
from airflow.operators.dummy import DummyOperator
from airflow.operators.python import PythonOperator


def use_old_helper():
    """Run as a task."""
    from airflow.utils.dates import days_ago  # noqa: PLC0415

    return days_ago(1)


with DAG("old", start_date=datetime(2026, 1, 1), schedule_interval=None) as dag:
    DummyOperator(task_id="nothing")
    PythonOperator(task_id="run_me", python_callable=use_old_helper)
