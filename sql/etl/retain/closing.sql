-- Tables of the sessions that leave ods, with their events: every message is older than ods keeps and not of this load,
-- and dds has each of their events with as many messages as ods.
CREATE OR REPLACE TABLE old_click ENGINE = MergeTree ORDER BY click_id AS
SELECT DISTINCT click_id
FROM merge('ods', '^(browser|device|geo)_event$')
WHERE ingested_at < toDateTime({ods_before:UInt32});

CREATE OR REPLACE TABLE old_event ENGINE = MergeTree ORDER BY event_id AS
SELECT event_id, click_id, count() AS messages
FROM ods.browser_event
WHERE click_id IN old_click
GROUP BY event_id, click_id;

CREATE OR REPLACE TABLE closing ENGINE = MergeTree ORDER BY click_id AS
WITH
    whole AS
    (
        SELECT event_id, click_id, toUInt64(1 + duplicates + superseded) AS messages FROM dds.event
        WHERE click_id IN old_click
    ),
    differing AS
    (
        SELECT click_id FROM (SELECT * FROM old_event EXCEPT SELECT * FROM whole)
        UNION ALL
        SELECT click_id FROM (SELECT * FROM whole EXCEPT SELECT event_id, click_id, messages FROM old_event)
    )
SELECT click_id, sum(is_browser) AS messages, max(ingested_at) AS last_at, {expiry_id:UInt64} AS expiry_id
FROM
(
    SELECT click_id, _table = 'browser_event' AS is_browser, ingested_at, load_id
    FROM merge('ods', '^(browser|device|geo)_event$')
    WHERE click_id IN old_click
    UNION ALL
    SELECT old_event.click_id, 0, location.ingested_at, location.load_id
    FROM ods.location_event AS location
    INNER JOIN old_event ON location.event_id = old_event.event_id
)
WHERE click_id NOT IN differing AND click_id IN (SELECT click_id FROM dds.click)
    AND click_id NOT IN (SELECT click_id FROM dds.expired_click)
GROUP BY click_id
HAVING last_at < toDateTime({ods_before:UInt32}) AND max(load_id) <= (SELECT max(load_id) FROM dds.load_commit);

-- Those of an interrupted expiry.
INSERT INTO closing SELECT click_id, messages, last_at, expiry_id FROM dds.expired_click WHERE expiry_id = {expiry_id:UInt64};
