-- Types the planned messages of the geo topic and parses each payload once. The fields of JSONExtract have
-- the order of the columns of ods.geo_event.
INSERT INTO ods.geo_parsed
WITH
    (
        -- An array, because a join might hash the messages instead of the ranges. Without a plan the lowest epoch
        -- is NULL, so that nothing is read.
        SELECT (minOrNull(epoch), min(offset_from), groupArray((epoch, _partition, offset_from, offset_to)))
        FROM ods.load_range
        WHERE load_id = {lease_id:UInt64} AND stream = 'geo'
    ) AS planned,
    extracted AS
    (
        SELECT
            *,
            JSONExtract(raw, 'Tuple(click_id Nullable(UUID), geo_country LowCardinality(String), geo_timezone LowCardinality(String), geo_region_name LowCardinality(String), ip_address String, geo_latitude Nullable(Float64), geo_longitude Nullable(Float64))') AS field
        FROM stg.raw FINAL
        -- Versions of a row are equal in the sorting key, so FINAL can follow.
        PREWHERE _topic = 'geo_events'
            AND epoch >= planned.1
            AND _offset > planned.2
            AND arrayExists(taken -> epoch = taken.1 AND _partition = taken.2 AND _offset > taken.3 AND _offset <= taken.4, planned.3)
    ),
    checked AS
    (
        SELECT
            *,
            isNull(field.click_id) AS no_click_id,
            if(abs(field.geo_latitude) <= 90, field.geo_latitude, NULL) AS geo_latitude,
            if(abs(field.geo_longitude) <= 180, field.geo_longitude, NULL) AS geo_longitude,
            -- JSONExtract reads arrays by position, so only a text that begins with { is known to be an object.
            if(NOT startsWith(raw, '{') OR no_click_id, JSONType(raw) != 'Object', false) AS malformed
        FROM extracted
    ),
    marked AS
    (
        SELECT
            *,
            NOT (malformed OR no_click_id) AS is_typed,
            -- Bit n is marker n + 1 of the list below.
            malformed
            + 2 * (NOT malformed AND no_click_id)
            + 4 * (NOT malformed AND isNull(geo_latitude))
            + 8 * (NOT malformed AND isNull(geo_longitude))
            + 16 * (NOT malformed AND NOT match(field.geo_country, '^[A-Z]{2}$'))
            + 32 * (NOT malformed AND isNull(toIPv4OrNull(field.ip_address)) AND isNull(toIPv6OrNull(field.ip_address))) AS marks
        FROM checked
    )
SELECT
    is_typed,
    -- Only marked messages keep their payload.
    if(marks = 0, '', raw) AS raw,
    if(marks = 0, '', _key) AS _key,
    field.* REPLACE (geo_latitude AS geo_latitude, geo_longitude AS geo_longitude),
    arrayMap(bit -> ['malformed_json', 'bad_click_id', 'bad_latitude', 'bad_longitude', 'country_missing', 'bad_ip_address'][bit + 1], bitPositionsToArray(marks)) AS markers,
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
