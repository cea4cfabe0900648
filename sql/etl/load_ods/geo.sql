-- Checks the messages of the geo stream. Bit n of marks is marker n + 1 of the names.
WITH checked AS
(
    SELECT
        *,
        isNull(field.click_id) AS no_click_id,
        if(abs(field.geo_latitude) <= 90, field.geo_latitude, NULL) AS geo_latitude,
        if(abs(field.geo_longitude) <= 180, field.geo_longitude, NULL) AS geo_longitude,
        -- JSONExtract reads arrays by position, so only a text that begins with { is known to be an object.
        if(NOT startsWith(raw, '{') OR no_click_id, JSONType(raw) != 'Object', false) AS malformed
    FROM extracted
)
SELECT
    NOT (malformed OR no_click_id) AS is_typed,
    malformed
    + 2 * (NOT malformed AND no_click_id)
    + 4 * (NOT malformed AND isNull(geo_latitude))
    + 8 * (NOT malformed AND isNull(geo_longitude))
    + 16 * (NOT malformed AND NOT match(field.geo_country, '^[A-Z]{2}$'))
    + 32 * (NOT malformed AND isNull(toIPv4OrNull(field.ip_address)) AND isNull(toIPv6OrNull(field.ip_address))) AS marks,
    ['malformed_json', 'bad_click_id', 'bad_latitude', 'bad_longitude', 'country_missing', 'bad_ip_address'] AS marker_names,
    field.* REPLACE (geo_latitude AS geo_latitude, geo_longitude AS geo_longitude),
    raw, _key, epoch, _topic, _partition, _offset, _timestamp, emitted_at, ingested_at
FROM checked;
