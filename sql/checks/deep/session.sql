-- Expected rows of dm.session: one per session with a page event, from all its events in order of time.
-- Events of a clock that is ahead count for times only if there are no others, events without a location for
-- pages and source likewise.
-- Reads event and click: the found or expected rows of dds.
WITH
    visit AS
    (
        SELECT
            click_id,
            arraySort(groupArray((event_timestamp, event_id, browser_name, page_url_path, referer_medium, utm_medium, utm_source, utm_campaign, has(markers, 'skewed_clock'), has(markers, 'location_not_found')))) AS events,
            arrayFilter(event -> NOT event.9, events) AS events_in_time,
            if(empty(events_in_time), events, events_in_time) AS timed,
            arrayFilter(event -> NOT event.10, events) AS events_with_page,
            if(empty(events_with_page), events, events_with_page) AS any_located,
            arrayFilter(event -> NOT event.9, any_located) AS located_in_time,
            if(empty(located_in_time), any_located, located_in_time) AS located,
            groupUniqArray(page_url_path) AS pages,
            has(groupUniqArray(event_type), 'purchase') AS has_purchase
        FROM event
        GROUP BY click_id
    )
SELECT
    visit.click_id AS click_id,
    click.user_domain_id AS user_domain_id,
    click.user_custom_id AS user_custom_id,
    located[1].4 AS entry_page,
    located[-1].4 AS exit_page,
    located[1].5 AS referer_medium,
    located[1].6 AS utm_medium,
    located[1].7 AS utm_source,
    located[1].8 AS utm_campaign,
    timed[1].3 AS browser_name,
    click.os_name AS os_name,
    click.device_type AS device_type,
    click.geo_country AS geo_country,
    click.geo_region_name AS geo_region_name,
    length(events) AS page_events,
    multiIf(
        has(pages, '/confirmation'), 5,
        has(pages, '/payment'), 4,
        has(pages, '/cart'), 3,
        has(pages, '/product_a') OR has(pages, '/product_b'), 2,
        has(pages, '/home'), 1,
        0) AS funnel_stage,
    dateDiff('microsecond', started_at, ended_at) / 1000000 AS duration_seconds,
    click.user_domain_id IS NOT NULL AS is_registered,
    click.device_is_mobile AS is_mobile,
    visit.has_purchase AS has_purchase,
    toDate(started_at, 'UTC') AS session_date,
    timed[1].1 AS started_at,
    timed[-1].1 AS ended_at
FROM visit
INNER JOIN click ON visit.click_id = click.click_id;
