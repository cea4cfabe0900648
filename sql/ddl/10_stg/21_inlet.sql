-- tier: service
CREATE TABLE IF NOT EXISTS stg.queue
(
    raw              String,
    _topic           LowCardinality(String),
    _partition       UInt64,
    _offset          UInt64,
    _key             String,
    milliseconds     Int64,
    _timestamp_ms    Nullable(DateTime64(3)) DEFAULT if(milliseconds < 0, NULL, fromUnixTimestamp64Milli(milliseconds)),
    `_headers.name`  Array(String) DEFAULT ['epoch', 'emitted_at', 'repairs'],
    `_headers.value` Array(String)
)
ENGINE = Null
COMMENT 'One row per message from `pipeline ingest`, in the columns of the Kafka engine; stores nothing. While this table is detached, the service pauses.';
