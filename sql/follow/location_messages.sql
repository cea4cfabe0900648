-- One row per location message of a session, with position and times. The payload has only the event_id, so
-- the session's page events identify the message, or its key if the event's browser message was rejected.
WITH
    committed AS (SELECT load_id FROM ods.load_commit),
    page_event AS
    (
        SELECT event_id FROM ods.browser_event WHERE click_id = {click_id:UUID}
    ),
    marked AS
    (
        SELECT * FROM ods.location_event_errors
        WHERE load_id IN committed
            AND (_key = {click:String}
                OR JSONExtract(raw, 'event_id', 'Nullable(UUID)') IN (SELECT event_id FROM page_event))
    ),
    named AS
    (
        SELECT epoch, _partition, _offset FROM stg.raw WHERE _topic = 'location_events' AND _key = {click:String}
        UNION ALL
        SELECT epoch, _partition, _offset FROM marked
    ),
    typed AS
    (
        SELECT * FROM ods.location_event
        WHERE load_id IN committed
            AND (event_id IN (SELECT event_id FROM page_event) OR (epoch, _partition, _offset) IN (SELECT * FROM named))
    ),
    identity AS
    (
        SELECT * FROM named
        UNION ALL
        SELECT epoch, _partition, _offset FROM typed
    ),
    stored AS
    (
        SELECT * FROM stg.raw FINAL WHERE _topic = 'location_events' AND (epoch, _partition, _offset) IN (SELECT * FROM identity)
    )
SELECT
    epoch,
    _topic AS topic,
    _partition AS partition,
    _offset AS offset,
    max(found.key) AS key,
    max(found.raw) AS raw,
    max(found.is_stored) AS is_stored,
    max(found.is_typed) AS is_typed,
    max(found.is_rejected) AS is_rejected,
    max(found.load_id) AS load_id,
    arraySort(groupUniqArrayArray(found.markers)) AS markers,
    any(found.emitted_at) AS emitted_at,
    min(found.broker_at) AS broker_at,
    min(found.ingested_at) AS ingested_at
FROM
(
    SELECT epoch, _topic, _partition, _offset, _key AS key, raw, true AS is_stored, false AS is_typed, false AS is_rejected, toUInt64(0) AS load_id, CAST([], 'Array(String)') AS markers, emitted_at, _timestamp AS broker_at, ingested_at
    FROM stored
    UNION ALL
    SELECT epoch, _topic, _partition, _offset, '', '', false, true, false, load_id, CAST(markers, 'Array(String)'), emitted_at, _timestamp, ingested_at
    FROM typed
    UNION ALL
    SELECT epoch, _topic, _partition, _offset, _key, raw, false, false, NOT is_typed, load_id, CAST(markers, 'Array(String)'), emitted_at, _timestamp, ingested_at
    FROM marked
) AS found
GROUP BY epoch, _topic, _partition, _offset
ORDER BY epoch, emitted_at, _partition, _offset;
