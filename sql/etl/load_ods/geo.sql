-- Types the messages of the geo topic in ranges of offsets: (epoch, partition, after, up to). Parses each payload once,
-- as the contract's fields.
WITH
    {geo_ranges:Array(Tuple(UInt64, Int32, Int64, Int64))} AS ranges,
    extracted AS
    (
        SELECT
            *,
            JSONExtract(raw, {geo_fields:String}) AS field
        FROM stg.raw FINAL
        -- Versions of a row are equal in the sorting key, so FINAL can follow.
        PREWHERE _topic = 'geo_events'
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
FROM marked;
