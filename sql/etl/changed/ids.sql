-- What the loads after from_load, up to to_load, changed: ids, and where their messages and rows can be.
INSERT INTO dm_internal.changed_event
SELECT DISTINCT {to_load:UInt64}, event_id
FROM
(
    SELECT event_id FROM ods.browser_event WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
    UNION ALL
    SELECT event_id FROM ods.location_event WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
);

-- Messages of an interrupted load only add ids, which is harmless.
INSERT INTO dm_internal.changed_click
SELECT DISTINCT {to_load:UInt64}, click_id
FROM
(
    SELECT click_id FROM ods.browser_event
    WHERE event_id IN (SELECT event_id FROM dm_internal.changed_event WHERE load_id = {to_load:UInt64})
    UNION ALL
    SELECT click_id FROM ods.device_event WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
    UNION ALL
    SELECT click_id FROM ods.geo_event WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
);

-- Every browser message of a changed event has a changed session.
INSERT INTO dm_internal.changed_reach
WITH
    changed_event AS (SELECT event_id FROM dm_internal.changed_event WHERE load_id = {to_load:UInt64}),
    changed_click AS (SELECT click_id FROM dm_internal.changed_click WHERE load_id = {to_load:UInt64})
SELECT {to_load:UInt64}, 'browser_event', epoch, min(_offset) FROM ods.browser_event WHERE click_id IN changed_click GROUP BY epoch
UNION ALL
SELECT {to_load:UInt64}, 'location_event', epoch, min(_offset) FROM ods.location_event WHERE event_id IN changed_event GROUP BY epoch
UNION ALL
SELECT {to_load:UInt64}, 'device_event', epoch, min(_offset) FROM ods.device_event WHERE click_id IN changed_click GROUP BY epoch
UNION ALL
SELECT {to_load:UInt64}, 'geo_event', epoch, min(_offset) FROM ods.geo_event WHERE click_id IN changed_click GROUP BY epoch;

INSERT INTO dm_internal.changed_month
SELECT DISTINCT {to_load:UInt64}, toStartOfMonth(event_timestamp)
FROM ods.browser_event
WHERE _offset >= (SELECT min(first_offset) FROM dm_internal.changed_reach WHERE load_id = {to_load:UInt64} AND entity = 'browser_event')
    AND click_id IN (SELECT click_id FROM dm_internal.changed_click WHERE load_id = {to_load:UInt64});

INSERT INTO dm_internal.changed_visitor
SELECT DISTINCT {to_load:UInt64}, user_custom_id
FROM ods.device_event
WHERE user_custom_id != ''
    AND _offset >= (SELECT min(first_offset) FROM dm_internal.changed_reach WHERE load_id = {to_load:UInt64} AND entity = 'device_event')
    AND click_id IN (SELECT click_id FROM dm_internal.changed_click WHERE load_id = {to_load:UInt64});

INSERT INTO dm_internal.changed_visitor_click
SELECT DISTINCT {to_load:UInt64}, click_id
FROM
(
    SELECT click_id FROM dm_internal.changed_click WHERE load_id = {to_load:UInt64}
    UNION ALL
    SELECT click_id FROM ods.device_event
    WHERE user_custom_id IN (SELECT user_custom_id FROM dm_internal.changed_visitor WHERE load_id = {to_load:UInt64})
    UNION ALL
    -- Sessions whose messages have left ods.
    SELECT click_id FROM dds.click
    WHERE user_custom_id IN (SELECT user_custom_id FROM dm_internal.changed_visitor WHERE load_id = {to_load:UInt64})
);
