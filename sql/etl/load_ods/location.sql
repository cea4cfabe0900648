-- Types the planned messages of the location topic and parses each payload once. The fields of JSONExtract have
-- the order of the columns of ods.location_event.
INSERT INTO ods.location_parsed
WITH
    (
        -- An array, because a join might hash the messages instead of the ranges. Without a plan the lowest epoch
        -- is NULL, so that nothing is read.
        SELECT (minOrNull(epoch), min(offset_from), groupArray((epoch, _partition, offset_from, offset_to)))
        FROM ods.load_range
        WHERE load_id = {lease_id:UInt64} AND stream = 'location'
    ) AS planned,
    extracted AS
    (
        SELECT
            *,
            JSONExtract(raw, 'Tuple(event_id Nullable(UUID), page_url LowCardinality(String), page_url_path LowCardinality(String), referer_url LowCardinality(String), referer_medium LowCardinality(String), utm_medium LowCardinality(String), utm_source LowCardinality(String), utm_content LowCardinality(String), utm_campaign LowCardinality(String))') AS field
        FROM stg.raw FINAL
        -- Versions of a row are equal in the sorting key, so FINAL can follow.
        PREWHERE _topic = 'location_events'
            AND epoch >= planned.1
            AND _offset > planned.2
            AND arrayExists(taken -> epoch = taken.1 AND _partition = taken.2 AND _offset > taken.3 AND _offset <= taken.4, planned.3)
    ),
    checked AS
    (
        SELECT
            *,
            isNull(field.event_id) AS no_event_id,
            -- JSONExtract reads arrays by position, so only a text that begins with { is known to be an object.
            if(NOT startsWith(raw, '{') OR no_event_id, JSONType(raw) != 'Object', false) AS malformed
        FROM extracted
    ),
    marked AS
    (
        SELECT
            *,
            NOT (malformed OR no_event_id) AS is_typed,
            -- Bit n is marker n + 1 of the list below.
            malformed
            + 2 * (NOT malformed AND no_event_id)
            + 4 * (NOT malformed AND empty(field.page_url_path)) AS marks
        FROM checked
    )
SELECT
    is_typed,
    -- Only marked messages keep their payload.
    if(marks = 0, '', raw) AS raw,
    if(marks = 0, '', _key) AS _key,
    field.*,
    arrayMap(bit -> ['malformed_json', 'bad_event_id', 'page_missing'][bit + 1], bitPositionsToArray(marks)) AS markers,
    epoch,
    _topic,
    _partition,
    _offset,
    _timestamp,
    emitted_at,
    ingested_at,
    {lease_id:UInt64} AS load_id
FROM marked
SETTINGS parallel_view_processing = 1, max_insert_threads = 2;
