-- Types the planned messages of the device topic and parses each payload once. The fields of JSONExtract have
-- the order of the columns of ods.device_event.
INSERT INTO ods.device_parsed
WITH
    (
        -- An array, because a join might hash the messages instead of the ranges. Without a plan the lowest epoch
        -- is NULL, so that nothing is read.
        SELECT (minOrNull(epoch), min(offset_from), groupArray((epoch, _partition, offset_from, offset_to)))
        FROM ods.load_range
        WHERE load_id = {lease_id:UInt64} AND stream = 'device'
    ) AS planned,
    extracted AS
    (
        SELECT
            *,
            JSONExtract(raw, 'Tuple(click_id Nullable(UUID), user_domain_id Nullable(String), user_custom_id String, os LowCardinality(String), os_name LowCardinality(String), os_timezone LowCardinality(String), device_type LowCardinality(String), device_is_mobile Nullable(Bool))') AS field
        FROM stg.raw FINAL
        -- Versions of a row are equal in the sorting key, so FINAL can follow.
        PREWHERE _topic = 'device_events'
            AND epoch >= planned.1
            AND _offset > planned.2
            AND arrayExists(taken -> epoch = taken.1 AND _partition = taken.2 AND _offset > taken.3 AND _offset <= taken.4, planned.3)
    ),
    checked AS
    (
        SELECT
            *,
            isNull(field.click_id) AS no_click_id,
            toUUIDOrNull(field.user_domain_id) AS user_domain_id,
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
            + 4 * (NOT malformed AND isNull(field.device_is_mobile))
            + 8 * (NOT malformed AND isNotNull(field.user_domain_id) AND isNull(user_domain_id)) AS marks
        FROM checked
    )
SELECT
    is_typed,
    -- Only marked messages keep their payload.
    if(marks = 0, '', raw) AS raw,
    if(marks = 0, '', _key) AS _key,
    field.* REPLACE (user_domain_id AS user_domain_id),
    arrayMap(bit -> ['malformed_json', 'bad_click_id', 'bad_device_is_mobile', 'bad_user_domain_id'][bit + 1], bitPositionsToArray(marks)) AS markers,
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
