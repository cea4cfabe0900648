-- Events that new messages share with older ones (a duplicate, a late location, a newer epoch), and rows of
-- an interrupted load. The Bloom index helps only if few ids are searched; for many, a hash disables it.
INSERT INTO dds.work_touched
WITH new_id AS
(
    SELECT event_id FROM ods.browser_event WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
    UNION ALL
    SELECT event_id FROM ods.location_event WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
)
SELECT DISTINCT 'event', event_id
FROM
(
    SELECT event_id FROM ods.browser_event WHERE load_id <= {from_load:UInt64}
    UNION ALL
    SELECT event_id FROM ods.location_event WHERE load_id <= {from_load:UInt64}
)
WHERE if({new_events:UInt64} < {few_events:UInt64},
    event_id IN (SELECT event_id FROM new_id),
    cityHash64(event_id) IN (SELECT cityHash64(event_id) FROM new_id))
UNION ALL
SELECT 'event', event_id FROM dds.event WHERE load_id > {from_load:UInt64};

-- Selects sessions whose facts may change. Causes: a late device, geo or first browser message, an event moved
-- to another session by a newer epoch, or an interrupted load.
INSERT INTO dds.work_touched
WITH
    changed AS
    (
        SELECT click_id FROM ods.device_event WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
        UNION ALL
        SELECT click_id FROM ods.geo_event WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
        UNION ALL
        SELECT click_id FROM dds.event
        WHERE event_id IN (SELECT id FROM dds.work_touched WHERE kind = 'event')
    ),
    seen AS
    (
        SELECT click_id FROM ods.browser_event WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
    )
SELECT if(max(is_stale), 'click', 'known_click') AS kind, click_id
FROM
(
    SELECT
        click_id,
        load_id > {from_load:UInt64} OR click_id IN (SELECT click_id FROM changed) AS is_left_or_changed,
        is_left_or_changed OR has(markers, 'browser_missing') AS is_stale
    FROM dds.click
    WHERE is_left_or_changed OR click_id IN (SELECT click_id FROM seen)
)
GROUP BY click_id;
