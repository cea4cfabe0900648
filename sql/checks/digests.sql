-- Order-independent digests of what the layers say: equal data, equal digest, whatever the load,
-- partition or epoch it came with. Sum of 64-bit hashes of typed rows, without broker metadata.
SELECT name, row_count, digest
FROM
(
    SELECT 1 AS position, 'ods.browser_event' AS name, count() AS row_count, hex(sum(sipHash64(event_id, click_id, event_type, browser_name, browser_user_agent, browser_language, event_timestamp, markers))) AS digest FROM ods.browser_event
    UNION ALL
    SELECT 2, 'ods.location_event', count(), hex(sum(sipHash64(event_id, page_url, page_url_path, referer_url, referer_medium, utm_medium, utm_source, utm_content, utm_campaign, markers))) FROM ods.location_event
    UNION ALL
    SELECT 3, 'ods.device_event', count(), hex(sum(sipHash64(click_id, toString(user_domain_id), user_custom_id, os, os_name, os_timezone, device_type, toString(device_is_mobile), markers))) FROM ods.device_event
    UNION ALL
    SELECT 4, 'ods.geo_event', count(), hex(sum(sipHash64(click_id, geo_country, geo_timezone, geo_region_name, ip_address, toString(geo_latitude), toString(geo_longitude), markers))) FROM ods.geo_event
    UNION ALL
    SELECT 5, 'dds.event', count(), hex(sum(sipHash64(event_id, click_id, event_type, browser_name, browser_user_agent, browser_language, page_url, page_url_path, referer_url, referer_medium, utm_medium, utm_source, utm_content, utm_campaign, arraySort(markers), duplicates, event_timestamp))) FROM dds.event
    UNION ALL
    SELECT 6, 'dds.click', count(), hex(sum(sipHash64(click_id, toString(user_domain_id), user_custom_id, os, os_name, os_timezone, device_type, geo_country, geo_timezone, geo_region_name, ip_address, arraySort(markers), toString(geo_latitude), toString(geo_longitude), toString(device_is_mobile)))) FROM dds.click
    UNION ALL
    SELECT 7, 'dm.event_enriched', count(), hex(sum(sipHash64(event_id, click_id, user_custom_id, page_url_path, utm_source, geo_country, device_type, arraySort(event_markers), arraySort(click_markers), event_date, event_timestamp))) FROM dm.event_enriched
    UNION ALL
    SELECT 8, 'dm.session', count(), hex(sum(sipHash64(click_id, user_custom_id, entry_page, exit_page, utm_source, page_events, funnel_stage, duration_seconds, is_registered, has_purchase, started_at, ended_at))) FROM dm.session
)
ORDER BY position;
