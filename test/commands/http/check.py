"""Prints, as JSON, what clickhouse-connect reads from the HTTP interface at port argv[1]."""

import datetime
import json
import sys

import clickhouse_connect
from clickhouse_connect.driver.external import ExternalData

ADDRESS = {"host": "127.0.0.1", "port": int(sys.argv[1]), "password": sys.argv[2]}
UTC = datetime.timezone.utc
LATE = "SELECT number, throwIf(number = 900000, 'late') FROM numbers(1000000)"
TYPES = """
SELECT
    number,
    toDateTime64('2026-01-01 01:02:03.123456', 6, 'UTC') AS at,
    toLowCardinality('x') AS category,
    [1, 2] AS list,
    map('k', 1) AS map,
    toUUID('00000000-0000-0000-0000-000000000001') AS id,
    NULL AS nothing,
    toDecimal64(1.5, 2) AS decimal
FROM numbers(1)
"""


def error_of(work):
    try:
        work()
    except Exception as error:  # The test checks the text of any error.
        return str(error)
    return "no error"


def inserts():
    """Write and read rows with every encoding of the client's inserts."""
    found = {}
    rows = [[n, "text" * 10 + str(n), datetime.datetime(2026, 1, 1, tzinfo=UTC), None] for n in range(20000)]
    for compress in (False, "lz4", "zstd", "gzip"):
        client = clickhouse_connect.get_client(compress=compress, **ADDRESS)
        client.command(
            "CREATE OR REPLACE TABLE py (a UInt32, s String, at DateTime('UTC'), f Nullable(Float64))"
            " ENGINE = MergeTree ORDER BY a"
        )
        written = client.insert("py", rows, column_names=["a", "s", "at", "f"]).written_rows
        read = client.query("SELECT count(), sum(a), max(s), min(at) = '2026-01-01' FROM py").result_rows[0]
        found[str(compress)] = [written, *read]
    return found


def streamed(client):
    with client.query_row_block_stream("SELECT number FROM numbers(300000)") as blocks:
        return sum(len(block) for block in blocks)


def main():
    client = clickhouse_connect.get_client(**ADDRESS)
    form = clickhouse_connect.get_client(form_encode_query_params=True, **ADDRESS)
    external = ExternalData(file_name="ext.csv", data=b"1,a\n2,b\n", fmt="CSV", structure=["id UInt8", "name String"])
    plain = {"wait_end_of_query": 0, "max_block_size": 10000}
    print(
        json.dumps(
            {
                "ping": client.ping(),
                "types": [str(value) for value in client.query(TYPES).result_rows[0]],
                "zone": str(client.query("SELECT toDateTime(0, 'Asia/Tokyo')").result_rows[0][0]),
                "bound": client.query("SELECT {x:String}, {l:Array(Int8)}", {"x": "it's\n", "l": [1]}).result_rows,
                "empty": client.query("SELECT 1 AS x WHERE 0").result_rows,
                "columns": client.query("SELECT 1 AS x LIMIT 0").column_names,
                "command": client.command("SELECT 5"),
                "inserts": inserts(),
                "streamed": streamed(client),
                "external": client.query("SELECT * FROM ext ORDER BY id", external_data=external).result_rows,
                "form": form.query("SELECT {x:UInt32}", {"x": 7}).result_rows,
                "setting": client.query("SELECT getSetting('max_threads')", settings={"max_threads": 3}).result_rows,
                "unknown": error_of(lambda: client.query("SELECT * FROM nope")),
                "early": error_of(lambda: client.query(LATE)),
                "late": error_of(lambda: client.query(LATE, settings=plain).result_rows),
                "denied": error_of(lambda: clickhouse_connect.get_client(**{**ADDRESS, "password": "wrong"})),
            }
        )
    )


main()
