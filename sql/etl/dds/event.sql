-- One row per event; key event_id. Of the messages with one id, the first of the latest epoch wins.
-- duplicates: further messages of that epoch; superseded: messages of earlier epochs.
WITH
    repeated_browser AS (SELECT event_id FROM ods.browser_event GROUP BY event_id HAVING count() > 1),
    browser AS
    (
        SELECT *, 0 AS duplicates, 0 AS superseded
        FROM ods.browser_event
        WHERE event_id NOT IN repeated_browser
        UNION ALL
        SELECT
            *,
            count() OVER (PARTITION BY event_id, epoch) - 1 AS duplicates,
            count() OVER (PARTITION BY event_id) - duplicates - 1 AS superseded
        FROM ods.browser_event
        WHERE event_id IN repeated_browser
        ORDER BY event_id, epoch DESC, _partition, _offset
        LIMIT 1 BY event_id
    ),
    repeated_location AS (SELECT event_id FROM ods.location_event GROUP BY event_id HAVING count() > 1),
    location AS
    (
        SELECT * FROM ods.location_event WHERE event_id NOT IN repeated_location
        UNION ALL
        SELECT * FROM ods.location_event
        WHERE event_id IN repeated_location
        ORDER BY event_id, epoch DESC, _partition, _offset
        LIMIT 1 BY event_id
    )
SELECT
    browser.* REPLACE (arrayConcat(browser.markers, location.markers, if(location.load_id = 0, ['location_not_found'], [])) AS markers),
    -- Of the other columns of ods, a table of dds has those that it declares.
    location.* EXCEPT (event_id, markers, epoch, _topic, _partition, _offset, _timestamp, emitted_at, ingested_at, load_id)
FROM browser
LEFT JOIN location ON browser.event_id = location.event_id;
