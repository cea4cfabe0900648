-- Device messages of committed loads that are still in stg, typed by the rules of ods. Columns as in
-- message_browser.sql.
WITH
    taken AS
    (
        SELECT epoch, _partition, offset_from, offset_to, load_id, planned_at
        FROM ods.load_range
        WHERE stream = 'device' AND load_id IN (SELECT load_id FROM ods.load_commit)
    ),
    message AS
    (
        SELECT
            stored.*,
            taken.load_id AS load_id,
            stored.ingested_at > taken.planned_at AS is_redelivered,
            JSONType(stored.raw) = 'Object' AS is_object,
            JSONExtract(stored.raw, 'Tuple(click_id Nullable(UUID), user_domain_id Nullable(String), user_custom_id String, os String, os_name String, os_timezone String, device_type String, device_is_mobile Nullable(Bool))') AS field
        FROM (SELECT * FROM stg.raw FINAL WHERE _topic = 'device_events') AS stored
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
    toUUIDOrNull(field.user_domain_id) AS user_domain_id,
    field.user_custom_id AS user_custom_id,
    field.os AS os,
    field.os_name AS os_name,
    field.os_timezone AS os_timezone,
    field.device_type AS device_type,
    field.device_is_mobile AS device_is_mobile,
    arrayFilter(marker -> marker != '', [
        if(is_object, '', 'malformed_json'),
        if(is_object AND field.click_id IS NULL, 'bad_click_id', ''),
        if(is_object AND field.device_is_mobile IS NULL, 'bad_device_is_mobile', ''),
        if(is_object AND field.user_domain_id IS NOT NULL AND user_domain_id IS NULL, 'bad_user_domain_id', '')
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
