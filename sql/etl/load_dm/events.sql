-- New and changed events, and all events of changed sessions.
INSERT INTO dm_internal.event_enriched_build
WITH changed_click AS
(
    SELECT click_id FROM dds.click
    WHERE load_id > {from_load:UInt64} AND {from_load:UInt64} > 0 AND is_rewritten
)
SELECT
    event.event_id AS event_id,
    event.click_id AS click_id,
    click.user_domain_id AS user_domain_id,
    nullIf(click.user_custom_id, '') AS user_custom_id,
    event.event_type AS event_type,
    event.browser_name AS browser_name,
    event.browser_user_agent AS browser_user_agent,
    event.browser_language AS browser_language,
    event.page_url AS page_url,
    event.page_url_path AS page_url_path,
    event.referer_url AS referer_url,
    event.referer_medium AS referer_medium,
    event.utm_medium AS utm_medium,
    event.utm_source AS utm_source,
    event.utm_content AS utm_content,
    event.utm_campaign AS utm_campaign,
    click.os AS os,
    click.os_name AS os_name,
    click.os_timezone AS os_timezone,
    click.device_type AS device_type,
    click.geo_country AS geo_country,
    click.geo_timezone AS geo_timezone,
    click.geo_region_name AS geo_region_name,
    click.ip_address AS ip_address,
    event.markers AS event_markers,
    click.markers AS click_markers,
    click.geo_latitude AS geo_latitude,
    click.geo_longitude AS geo_longitude,
    click.device_is_mobile AS device_is_mobile,
    toDate(event.event_timestamp, 'UTC') AS event_date,
    event.event_timestamp AS event_timestamp
FROM
(
    SELECT * FROM dds.event
    WHERE load_id > {from_load:UInt64}
        AND click_id >= toUUIDOrZero({from_click:String})
        AND ({to_click:String} = '' OR click_id < toUUIDOrZero({to_click:String}))
    UNION ALL
    SELECT * FROM dds.event
    WHERE load_id <= {from_load:UInt64} AND click_id IN changed_click
        AND click_id >= toUUIDOrZero({from_click:String})
        AND ({to_click:String} = '' OR click_id < toUUIDOrZero({to_click:String}))
) AS event
LEFT JOIN
(
    SELECT * FROM dds.click
    WHERE click_id >= toUUIDOrZero({from_click:String})
        AND ({to_click:String} = '' OR click_id < toUUIDOrZero({to_click:String}))
        AND (load_id > {from_load:UInt64} OR click_id IN
            (SELECT click_id FROM dds.event WHERE load_id > {from_load:UInt64} AND {from_load:UInt64} > 0))
) AS click
    ON event.click_id = click.click_id
SETTINGS max_partitions_per_insert_block = 0;
