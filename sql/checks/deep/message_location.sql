-- Location messages of committed loads that are still in stg, typed by the rules of ods. Columns as in
-- message_browser.sql.
WITH
    taken AS
    (
        SELECT epoch, _partition, offset_from, offset_to, load_id, planned_at
        FROM ods.load_range
        WHERE stream = 'location' AND load_id IN (SELECT load_id FROM ods.load_commit)
    ),
    message AS
    (
        SELECT
            stored.*,
            taken.load_id AS load_id,
            stored.ingested_at > taken.planned_at AS is_redelivered,
            JSONType(stored.raw) = 'Object' AS is_object,
            JSONExtract(stored.raw, 'Tuple(event_id Nullable(UUID), page_url String, page_url_path String, referer_url String, referer_medium String, utm_medium String, utm_source String, utm_content String, utm_campaign String)') AS field
        FROM (SELECT * FROM stg.raw FINAL WHERE _topic = 'location_events') AS stored
        ASOF INNER JOIN taken
            ON stored.epoch = taken.epoch
            AND stored._partition = taken._partition
            AND stored._offset <= taken.offset_to
        WHERE stored._offset > taken.offset_from
    )
SELECT
    is_object AND field.event_id IS NOT NULL AS is_typed,
    is_redelivered,
    ifNull(field.event_id, toUUIDOrZero('')) AS event_id,
    field.page_url AS page_url,
    field.page_url_path AS page_url_path,
    field.referer_url AS referer_url,
    field.referer_medium AS referer_medium,
    field.utm_medium AS utm_medium,
    field.utm_source AS utm_source,
    field.utm_content AS utm_content,
    field.utm_campaign AS utm_campaign,
    arrayFilter(marker -> marker != '', [
        if(is_object, '', 'malformed_json'),
        if(is_object AND field.event_id IS NULL, 'bad_event_id', ''),
        if(is_object AND field.page_url_path = '', 'page_missing', '')
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
