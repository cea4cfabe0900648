-- One row per session seen in any stream; key click_id. Of several device or geo messages of a session, the
-- first of the latest epoch wins.
WITH
    repeated_device AS (SELECT click_id FROM ods.device_event GROUP BY click_id HAVING count() > 1),
    device AS
    (
        SELECT * FROM ods.device_event WHERE click_id NOT IN repeated_device
        UNION ALL
        SELECT * FROM ods.device_event
        WHERE click_id IN repeated_device
        ORDER BY click_id, epoch DESC, _partition, _offset
        LIMIT 1 BY click_id
    ),
    repeated_geo AS (SELECT click_id FROM ods.geo_event GROUP BY click_id HAVING count() > 1),
    geo AS
    (
        SELECT * FROM ods.geo_event WHERE click_id NOT IN repeated_geo
        UNION ALL
        SELECT * FROM ods.geo_event
        WHERE click_id IN repeated_geo
        ORDER BY click_id, epoch DESC, _partition, _offset
        LIMIT 1 BY click_id
    ),
    seen AS
    (
        SELECT click_id, max(in_browser) AS in_browser
        FROM
        (
            SELECT click_id, true AS in_browser FROM ods.browser_event
            UNION ALL
            SELECT click_id, false FROM ods.device_event
            UNION ALL
            SELECT click_id, false FROM ods.geo_event
        )
        GROUP BY click_id
    ),
    started AS
    (
        SELECT click_id, min(toNullable(event_timestamp)) AS started_at, argMin(_offset, (event_timestamp, _offset)) AS _offset
        FROM dds.event
        WHERE NOT has(markers, 'skewed_clock')
        GROUP BY click_id
    )
SELECT
    seen.click_id AS click_id,
    device.user_domain_id AS user_domain_id,
    device.user_custom_id AS user_custom_id,
    device.os AS os,
    device.os_name AS os_name,
    device.os_timezone AS os_timezone,
    device.device_type AS device_type,
    geo.geo_country AS geo_country,
    geo.geo_timezone AS geo_timezone,
    geo.geo_region_name AS geo_region_name,
    geo.ip_address AS ip_address,
    arrayConcat(
        if(seen.in_browser, [], ['browser_missing']),
        if(device.load_id = 0, ['device_missing'], device.markers),
        if(geo.load_id = 0, ['geo_missing'], geo.markers)) AS markers,
    geo.geo_latitude AS geo_latitude,
    geo.geo_longitude AS geo_longitude,
    device.device_is_mobile AS device_is_mobile,
    started.started_at AS started_at,
    started._offset AS _offset
FROM seen
LEFT JOIN device ON seen.click_id = device.click_id
LEFT JOIN geo ON seen.click_id = geo.click_id
LEFT JOIN started ON seen.click_id = started.click_id;
