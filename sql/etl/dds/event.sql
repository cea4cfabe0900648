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
    browser.event_id AS event_id,
    browser.click_id AS click_id,
    browser.event_type AS event_type,
    browser.browser_name AS browser_name,
    browser.browser_user_agent AS browser_user_agent,
    browser.browser_language AS browser_language,
    location.page_url AS page_url,
    location.page_url_path AS page_url_path,
    location.referer_url AS referer_url,
    location.referer_medium AS referer_medium,
    location.utm_medium AS utm_medium,
    location.utm_source AS utm_source,
    location.utm_content AS utm_content,
    location.utm_campaign AS utm_campaign,
    browser.order_value AS order_value,
    browser.currency AS currency,
    browser.properties AS properties,
    arrayConcat(browser.markers, location.markers, if(location.load_id = 0, ['location_not_found'], [])) AS markers,
    browser.duplicates AS duplicates,
    browser.superseded AS superseded,
    browser.event_timestamp AS event_timestamp,
    browser._offset AS _offset
FROM browser
LEFT JOIN location ON browser.event_id = location.event_id;
