-- Events that new messages share with older ones: a duplicate, a late location, a newer epoch.
INSERT INTO dds.work_touched
SELECT DISTINCT 'event', event_id
FROM
(
    SELECT event_id FROM ods.browser_event
    WHERE load_id <= (SELECT max(from_load) FROM dds.work_range)
    UNION ALL
    SELECT event_id FROM ods.location_event
    WHERE load_id <= (SELECT max(from_load) FROM dds.work_range)
)
WHERE event_id IN
(
    SELECT event_id FROM ods.browser_event
    WHERE load_id > (SELECT max(from_load) FROM dds.work_range)
        AND load_id <= (SELECT max(to_load) FROM dds.work_range)
    UNION ALL
    SELECT event_id FROM ods.location_event
    WHERE load_id > (SELECT max(from_load) FROM dds.work_range)
        AND load_id <= (SELECT max(to_load) FROM dds.work_range)
);

-- Visits whose facts may change: a device or geo message, or the first browser message, comes late.
INSERT INTO dds.work_touched
SELECT DISTINCT 'click', click_id
FROM dds.click
WHERE click_id IN
(
    SELECT click_id FROM ods.device_event
    WHERE load_id > (SELECT max(from_load) FROM dds.work_range)
        AND load_id <= (SELECT max(to_load) FROM dds.work_range)
    UNION ALL
    SELECT click_id FROM ods.geo_event
    WHERE load_id > (SELECT max(from_load) FROM dds.work_range)
        AND load_id <= (SELECT max(to_load) FROM dds.work_range)
    UNION ALL
    -- The former visit of an event that a newer epoch moves to another one.
    SELECT click_id FROM dds.event
    WHERE event_id IN (SELECT id FROM dds.work_touched WHERE kind = 'event')
)
    OR has(markers, 'browser_missing') AND click_id IN
    (
        SELECT click_id FROM ods.browser_event
        WHERE load_id > (SELECT max(from_load) FROM dds.work_range)
            AND load_id <= (SELECT max(to_load) FROM dds.work_range)
    );

-- What a load that was cut off left behind.
INSERT INTO dds.work_touched
SELECT 'event', event_id FROM dds.event
WHERE load_id > (SELECT max(from_load) FROM dds.work_range);

INSERT INTO dds.work_touched
SELECT 'click', click_id FROM dds.click
WHERE load_id > (SELECT max(from_load) FROM dds.work_range);

-- Visits that go on: their row stays as it is.
INSERT INTO dds.work_touched
SELECT DISTINCT 'known_click', click_id
FROM dds.click
WHERE click_id NOT IN (SELECT id FROM dds.work_touched WHERE kind = 'click')
    AND click_id IN
    (
        SELECT click_id FROM ods.browser_event
        WHERE load_id > (SELECT max(from_load) FROM dds.work_range)
            AND load_id <= (SELECT max(to_load) FROM dds.work_range)
    );
