"""Runs commands of dbt in one process, because each start takes seconds. Reads a list of lists of arguments."""

import json
import sys

from dbt.cli.main import dbtRunner

for args in json.load(sys.stdin):
    result = dbtRunner().invoke(args)
    if not result.success:
        sys.exit(f"dbt {' '.join(args)} failed: {result.exception or result.result}")
