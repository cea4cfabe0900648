"""Loads every DAG file separately and prints its properties as JSON for the test."""

import json
import sys
import time
from pathlib import Path

# Import what all files share first, so that it does not count as their own time.
import airflow.providers.standard.operators.python
import airflow.providers.standard.operators.trigger_dagrun  # noqa: F401
from airflow.dag_processing.dagbag import DagBag

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))
found = {"files": {}, "dags": {}}

for file in sorted(folder.glob("*.py")):
    begun = time.process_time()
    bag = DagBag(str(file))
    found["files"][file.name] = {
        "seconds": time.process_time() - begun,
        "errors": list(bag.import_errors.values()),
        "dags": sorted(bag.dags),
    }
    for dag_id, dag in bag.dags.items():
        if dag.has_task("run_me"):
            dag.get_task("run_me").execute({})
        found["dags"][dag_id] = {
            "schedule": str(dag.schedule) if dag.schedule else None,
            "paused": dag.is_paused_upon_creation,
            "runs": dag.max_active_runs,
            "doc": dag.doc_md,
            "params": {
                name: {"value": param.value, **param.schema, "description": param.description}
                for name, param in ((n, dag.params.get_param(n)) for n in dag.params)
            },
            "tasks": [
                {
                    "id": task.task_id,
                    "retries": task.retries,
                    "doc": task.doc_md,
                    "limit": task.execution_timeout and task.execution_timeout.total_seconds(),
                    "after": sorted(task.upstream_task_ids),
                    "arguments": list(getattr(task, "arguments", [])),
                    "guard": getattr(getattr(task, "guard", None), "__name__", None),
                }
                for task in dag.topological_sort()
            ],
        }
print("\n" + json.dumps(found))
