-- Types the messages of the location topic in ranges of offsets: (epoch, partition, after, up to). Parses each payload once,
-- as the contract's fields.
WITH
    {location_ranges:Array(Tuple(UInt64, Int32, Int64, Int64))} AS ranges,
    extracted AS
    (
        SELECT
            *,
            JSONExtract(raw, {location_fields:String}) AS field
        FROM stg.raw FINAL
        -- Versions of a row are equal in the sorting key, so FINAL can follow.
        PREWHERE _topic = 'location_events'
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
FROM marked;
