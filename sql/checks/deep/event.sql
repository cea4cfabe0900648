-- Expected rows of dds.event: one per page event, from its first browser and first location message. Each
-- is the first of the latest epoch that has one. Reads browser and location: typed messages with position
-- (latest epoch first, then partition and offset) and dds_load.
-- dds_load: the load of dds that integrated the message.
WITH
    page_message AS
    (
        SELECT
            event_id,
            min(position) AS first_position,
            countEqual(groupArray(epoch), max(epoch)) AS of_latest_epoch,
            count() AS messages,
            min(dds_load) AS first_load,
            max(dds_load) AS last_load
        FROM browser
        GROUP BY event_id
    ),
    page AS
    (
        SELECT *
        FROM browser
        INNER JOIN page_message
            ON browser.event_id = page_message.event_id AND browser.position = page_message.first_position
    ),
    place_message AS
    (
        SELECT
            event_id,
            min(position) AS first_position,
            min(dds_load) AS first_load,
            max(dds_load) AS last_load
        FROM location
        GROUP BY event_id
    ),
    place AS
    (
        SELECT *, true AS is_found
        FROM location
        INNER JOIN place_message
            ON location.event_id = place_message.event_id AND location.position = place_message.first_position
    )
SELECT
    page.event_id AS event_id,
    page.click_id AS click_id,
    page.event_type AS event_type,
    page.browser_name AS browser_name,
    page.browser_user_agent AS browser_user_agent,
    page.browser_language AS browser_language,
    place.page_url AS page_url,
    place.page_url_path AS page_url_path,
    place.referer_url AS referer_url,
    place.referer_medium AS referer_medium,
    place.utm_medium AS utm_medium,
    place.utm_source AS utm_source,
    place.utm_content AS utm_content,
    place.utm_campaign AS utm_campaign,
    arrayConcat(page.markers, if(place.is_found, place.markers, ['location_not_found'])) AS markers,
    page.of_latest_epoch - 1 AS duplicates,
    page.messages - page.of_latest_epoch AS superseded,
    -- A message was loaded before the last load that wrote the row.
    if(place.is_found, least(page.first_load, place.first_load), page.first_load) < load_id AS is_rewritten,
    page.event_timestamp AS event_timestamp,
    greatest(page.last_load, place.last_load) AS load_id
FROM page
LEFT JOIN place ON page.event_id = place.event_id;
