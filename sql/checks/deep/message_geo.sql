-- Geo messages of committed loads that are still in stg, typed by the rules of ods. Columns as in
-- message_browser.sql.
WITH
    taken AS
    (
        SELECT epoch, _partition, offset_from, offset_to, load_id, planned_at
        FROM ods.load_range
        WHERE stream = 'geo' AND load_id IN (SELECT load_id FROM ods.load_commit)
    ),
    message AS
    (
        SELECT
            stored.*,
            taken.load_id AS load_id,
            stored.ingested_at > taken.planned_at AS is_redelivered,
            JSONType(stored.raw) = 'Object' AS is_object,
            JSONExtract(stored.raw, 'Tuple(click_id Nullable(UUID), geo_latitude Nullable(Float64), geo_longitude Nullable(Float64), geo_country String, geo_timezone String, geo_region_name String, ip_address String)') AS field
        FROM (SELECT * FROM stg.raw FINAL WHERE _topic = 'geo_events') AS stored
        ASOF INNER JOIN taken
            ON stored.epoch = taken.epoch
            AND stored._partition = taken._partition
            AND stored._offset <= taken.offset_to
        WHERE stored._offset > taken.offset_from
    )
SELECT
    is_object AND field.click_id IS NOT NULL AS is_typed,
    is_redelivered,
    ifNull(field.click_id, toUUIDOrZero('')) AS click_id,
    field.geo_country AS geo_country,
    field.geo_timezone AS geo_timezone,
    field.geo_region_name AS geo_region_name,
    field.ip_address AS ip_address,
    if(field.geo_latitude BETWEEN -90 AND 90, field.geo_latitude, NULL) AS geo_latitude,
    if(field.geo_longitude BETWEEN -180 AND 180, field.geo_longitude, NULL) AS geo_longitude,
    arrayFilter(marker -> marker != '', [
        if(is_object, '', 'malformed_json'),
        if(is_object AND field.click_id IS NULL, 'bad_click_id', ''),
        if(is_object AND geo_latitude IS NULL, 'bad_latitude', ''),
        if(is_object AND geo_longitude IS NULL, 'bad_longitude', ''),
        if(is_object AND NOT (length(field.geo_country) = 2 AND match(field.geo_country, '^[A-Z][A-Z]$')), 'country_missing', ''),
        if(is_object AND NOT isIPv4String(field.ip_address) AND NOT isIPv6String(field.ip_address), 'bad_ip_address', '')
    ]) AS markers,
    arrayStringConcat(markers, ',') AS error_reason,
    raw,
    epoch,
    _topic,
    _partition,
    _offset,
    _key,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM message;
