"""Runs the code of a page, then prints what DuckDB and pandas compute from the Parquet files of tables.

Reads {"page": code, "tables": {path: {column: "sum" | "last" | "distinct"}}} and prints
{path: {"duckdb": {column: value}, "pandas": {column: value}}}; times are microseconds since 1970.
"""

import contextlib
import json
import sys

import duckdb
import pandas

EPOCH = pandas.Timestamp(0, tz="UTC")
SQL = {
    "sum": 'coalesce(sum("{}"), 0)::DOUBLE',
    "last": 'epoch_us(max("{}")::TIMESTAMPTZ)',
    "distinct": 'count(DISTINCT "{}")',
}


def by_duckdb(path: str, wanted: dict[str, str]) -> dict[str, object]:
    files = path if path.endswith(".parquet") else f"{path}/*.parquet"
    columns = ", ".join(SQL[kind].format(name) for name, kind in wanted.items())
    return dict(zip(wanted, duckdb.sql(f"SELECT {columns} FROM '{files}'").fetchall()[0]))


def last(column: pandas.Series) -> int | None:
    newest = pandas.to_datetime(column, utc=True).max()
    return None if pandas.isna(newest) else (newest - EPOCH) // pandas.Timedelta(1, "us")


def by_pandas(path: str, wanted: dict[str, str]) -> dict[str, object]:
    frame = pandas.read_parquet(path)
    value = {"sum": lambda column: float(column.dropna().sum()), "last": last, "distinct": pandas.Series.nunique}
    return {name: value[kind](frame[name]) for name, kind in wanted.items()}


task = json.load(sys.stdin)
with contextlib.redirect_stdout(sys.stderr):
    exec(task["page"], {})
duckdb.sql("SET TimeZone = 'UTC'")
read = {path: {"duckdb": by_duckdb(path, wanted), "pandas": by_pandas(path, wanted)} for path, wanted in task["tables"].items()}
json.dump(read, sys.stdout)
