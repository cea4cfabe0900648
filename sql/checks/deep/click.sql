-- Expected rows of dds.click: one per session in a browser, device or geo message. The facts are those of
-- the first device and geo message of the latest epoch that has one. Reads browser, location, device and
-- geo: typed messages with position and dds_load, as in event.sql.
-- load_id: the last load that wrote the row; first_load: the first load that wrote it.
WITH
    named AS
    (
        SELECT click_id, 'browser' AS stream, dds_load FROM browser
        UNION ALL
        SELECT click_id, 'device', dds_load FROM device
        UNION ALL
        SELECT click_id, 'geo', dds_load FROM geo
    ),
    -- Page events that a later message completed or repeated.
    completed AS
    (
        SELECT event_id, max(dds_load) AS completed_load
        FROM
        (
            SELECT event_id, dds_load, true AS is_page FROM browser
            UNION ALL
            SELECT event_id, dds_load, false FROM location
        )
        GROUP BY event_id
        HAVING max(is_page) AND minIf(dds_load, is_page) < completed_load
    ),
    history AS
    (
        SELECT
            groupArray((browser.position, browser.click_id, browser.dds_load)) AS pages,
            arrayPushBack(groupArray(browser.dds_load), any(completed.completed_load)) AS loads
        FROM browser
        INNER JOIN completed ON browser.event_id = completed.event_id
        GROUP BY browser.event_id
    ),
    -- Each later load also rewrote the previous session of the event.
    written AS
    (
        SELECT arraySort(arrayFilter(page -> page.3 < load, pages))[1].2 AS click_id, max(load) AS event_load
        FROM history
        ARRAY JOIN loads AS load
        WHERE arrayExists(page -> page.3 < load, pages)
        GROUP BY click_id
    ),
    visit AS
    (
        SELECT
            click_id,
            countIf(stream = 'browser') > 0 AS has_page,
            min(dds_load) AS first_load,
            greatest(minIf(dds_load, stream = 'browser'), maxIf(dds_load, stream != 'browser')) AS named_load
        FROM named
        GROUP BY click_id
    ),
    device_fact AS
    (
        SELECT *, true AS is_found
        FROM device
        WHERE (click_id, position) IN (SELECT click_id, min(position) FROM device GROUP BY click_id)
    ),
    geo_fact AS
    (
        SELECT *, true AS is_found
        FROM geo
        WHERE (click_id, position) IN (SELECT click_id, min(position) FROM geo GROUP BY click_id)
    )
SELECT
    visit.click_id AS click_id,
    device_fact.user_domain_id AS user_domain_id,
    device_fact.user_custom_id AS user_custom_id,
    device_fact.os AS os,
    device_fact.os_name AS os_name,
    device_fact.os_timezone AS os_timezone,
    device_fact.device_type AS device_type,
    geo_fact.geo_country AS geo_country,
    geo_fact.geo_timezone AS geo_timezone,
    geo_fact.geo_region_name AS geo_region_name,
    geo_fact.ip_address AS ip_address,
    arrayConcat(
        if(visit.has_page, [], ['browser_missing']),
        if(device_fact.is_found, device_fact.markers, ['device_missing']),
        if(geo_fact.is_found, geo_fact.markers, ['geo_missing'])) AS markers,
    geo_fact.geo_latitude AS geo_latitude,
    geo_fact.geo_longitude AS geo_longitude,
    device_fact.device_is_mobile AS device_is_mobile,
    visit.first_load < load_id AS is_rewritten,
    greatest(visit.named_load, written.event_load) AS load_id,
    visit.first_load AS first_load
FROM visit
LEFT JOIN written ON visit.click_id = written.click_id
LEFT JOIN device_fact ON visit.click_id = device_fact.click_id
LEFT JOIN geo_fact ON visit.click_id = geo_fact.click_id;
