-- Types the messages of the device topic in ranges of offsets: (epoch, partition, after, up to). Parses each payload once,
-- as the contract's fields.
WITH
    {device_ranges:Array(Tuple(UInt64, Int32, Int64, Int64))} AS ranges,
    extracted AS
    (
        SELECT
            *,
            JSONExtract(raw, {device_fields:String}) AS field
        FROM stg.raw FINAL
        -- Versions of a row are equal in the sorting key, so FINAL can follow.
        PREWHERE _topic = 'device_events'
            -- Bounds for the primary key; without a range nothing is read.
            AND notEmpty(ranges)
            AND epoch >= arrayMin(range -> range.1, ranges)
            AND _offset > arrayMin(range -> range.3, ranges)
            AND arrayExists(range -> epoch = range.1 AND _partition = range.2 AND _offset > range.3 AND _offset <= range.4, ranges)
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
FROM marked;
