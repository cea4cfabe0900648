"""Uses deprecated APIs at import, as an argument and in a task: the recorder must see all three."""

from datetime import datetime

from airflow.operators.empty import EmptyOperator
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG


def use_old_name():
    """Run as a task."""
    from airflow.utils.state import JobState  # noqa: PLC0415

    return JobState.RUNNING


with DAG("old", start_date=datetime(2026, 1, 1), schedule=None) as dag:
    EmptyOperator(task_id="nothing", email="admin@example.invalid")  # noqa: AIR312
    PythonOperator(task_id="run_me", python_callable=use_old_name)
