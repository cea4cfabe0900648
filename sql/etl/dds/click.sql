-- One row per session seen in any stream; key click_id. Of several device or geo messages of a session, the
-- first of the latest epoch wins; of device messages, the first with an account: a visitor can log in during a session.
WITH
    repeated_device AS (SELECT click_id FROM ods.device_event GROUP BY click_id HAVING count() > 1),
    device AS
    (
        SELECT * FROM ods.device_event WHERE click_id NOT IN repeated_device
        UNION ALL
        SELECT * FROM ods.device_event
        WHERE click_id IN repeated_device
        ORDER BY click_id, epoch DESC, isNull(user_domain_id), _partition, _offset
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
    device.* EXCEPT (click_id, markers, epoch, _topic, _partition, _offset, _timestamp, emitted_at, ingested_at, load_id),
    geo.* EXCEPT (click_id, markers, epoch, _topic, _partition, _offset, _timestamp, emitted_at, ingested_at, load_id),
    arrayConcat(
        if(seen.in_browser, [], ['browser_missing']),
        if(device.load_id = 0, ['device_missing'], device.markers),
        if(geo.load_id = 0, ['geo_missing'], geo.markers)) AS markers,
    started.started_at AS started_at,
    started._offset AS _offset
FROM seen
LEFT JOIN device ON seen.click_id = device.click_id
LEFT JOIN geo ON seen.click_id = geo.click_id
LEFT JOIN started ON seen.click_id = started.click_id;
