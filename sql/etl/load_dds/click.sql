-- One row per session seen in any stream, with the facts of its winning device and geo message.
INSERT INTO dds.click
WITH
    device AS
    (
        SELECT
            true AS is_found,
            candidate.click_id AS click_id,
            candidate.user_domain_id AS user_domain_id,
            candidate.user_custom_id AS user_custom_id,
            candidate.os AS os,
            candidate.os_name AS os_name,
            candidate.os_timezone AS os_timezone,
            candidate.device_type AS device_type,
            candidate.device_is_mobile AS device_is_mobile,
            candidate.markers AS markers
        FROM dds.device_candidate AS candidate
        LEFT JOIN (SELECT * FROM dds.work_repeated WHERE stream = 'device') AS repeated
            ON candidate.click_id = repeated.id
        WHERE cityHash64(candidate.click_id) % {buckets:UInt32} = {bucket:UInt32}
            AND (repeated.stream = '' OR (candidate.epoch, candidate._partition, candidate._offset)
                = (repeated.epoch, repeated._partition, repeated._offset))
    ),
    geo AS
    (
        SELECT
            true AS is_found,
            candidate.click_id AS click_id,
            candidate.geo_country AS geo_country,
            candidate.geo_timezone AS geo_timezone,
            candidate.geo_region_name AS geo_region_name,
            candidate.ip_address AS ip_address,
            candidate.geo_latitude AS geo_latitude,
            candidate.geo_longitude AS geo_longitude,
            candidate.markers AS markers
        FROM dds.geo_candidate AS candidate
        LEFT JOIN (SELECT * FROM dds.work_repeated WHERE stream = 'geo') AS repeated
            ON candidate.click_id = repeated.id
        WHERE cityHash64(candidate.click_id) % {buckets:UInt32} = {bucket:UInt32}
            AND (repeated.stream = '' OR (candidate.epoch, candidate._partition, candidate._offset)
                = (repeated.epoch, repeated._partition, repeated._offset))
    ),
    -- An interrupted load may have left both kinds for one session.
    known_click AS
    (
        SELECT id FROM dds.work_touched WHERE kind != 'event' GROUP BY id HAVING countIf(kind = 'click') = 0
    ),
    -- This reads the tables, not device and geo above: a second use would plan their views twice.
    seen AS
    (
        SELECT click_id, max(in_browser) AS in_browser
        FROM
        (
            SELECT click_id, true AS in_browser
            FROM ods.browser_event
            WHERE load_id > {from_load:UInt64}
                AND load_id <= {to_load:UInt64}
                AND click_id NOT IN known_click
                AND cityHash64(click_id) % {buckets:UInt32} = {bucket:UInt32}
            UNION ALL
            SELECT click_id, true
            FROM ods.browser_event
            WHERE load_id <= {from_load:UInt64}
                AND click_id IN (SELECT id FROM dds.work_touched WHERE kind = 'click')
                AND cityHash64(click_id) % {buckets:UInt32} = {bucket:UInt32}
            UNION ALL
            SELECT click_id, false
            FROM ods.device_event
            WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
                AND cityHash64(click_id) % {buckets:UInt32} = {bucket:UInt32}
            UNION ALL
            SELECT click_id, false
            FROM ods.geo_event
            WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
                AND cityHash64(click_id) % {buckets:UInt32} = {bucket:UInt32}
            UNION ALL
            SELECT id, false
            FROM dds.work_touched
            WHERE kind = 'click' AND cityHash64(id) % {buckets:UInt32} = {bucket:UInt32}
        )
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
        if(device.is_found, device.markers, ['device_missing']),
        if(geo.is_found, geo.markers, ['geo_missing'])) AS markers,
    geo.geo_latitude AS geo_latitude,
    geo.geo_longitude AS geo_longitude,
    device.device_is_mobile AS device_is_mobile,
    seen.click_id IN (SELECT id FROM dds.work_touched WHERE kind = 'click') AS is_rewritten,
    {to_load:UInt64} AS load_id
FROM seen
LEFT JOIN device ON seen.click_id = device.click_id
LEFT JOIN geo ON seen.click_id = geo.click_id;
