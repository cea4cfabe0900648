-- One row per session with at least one event; key click_id. Times ignore events of a skewed clock,
-- unless there are no others. Pages and source ignore events without a location likewise.
WITH
    (SELECT stages FROM dm_internal.site) AS stages,
    assumeNotNull((SELECT session_pause FROM dm_internal.site)) AS session_pause,
    (SELECT timezone FROM dm_internal.site) AS timezone,
    (SELECT (groupArray(name), groupArray(category)) FROM dm_internal.referring_site) AS sites,
    event AS
    (
        SELECT
            *,
            has(markers, 'skewed_clock') AS is_skewed,
            has(markers, 'location_not_found') AS has_no_page,
            event_type IN ('pageview', 'purchase') AS is_page,
            if(is_page, dm_stage(page_url_path, stages), 0) AS stage
        FROM dds.event
    ),
    visit AS
    (
        SELECT
            click_id,
            max(site) AS site,
            argMin(page_url_path, (NOT is_page, has_no_page, is_skewed, event_timestamp, _offset, event_id)) AS entry_page,
            argMax(page_url_path, (is_page, NOT has_no_page, NOT is_skewed, event_timestamp, _offset, event_id)) AS exit_page,
            argMin((referer_medium, utm_medium, utm_source, utm_campaign), (NOT is_page, has_no_page, is_skewed, event_timestamp, _offset, event_id))
                ::Tuple(referer_medium LowCardinality(String), utm_medium LowCardinality(String), utm_source LowCardinality(String), utm_campaign LowCardinality(String)) AS source,
            argMin(browser_name, (is_skewed, event_timestamp, _offset, event_id)) AS browser_name,
            countIf(is_page) AS page_events,
            max(stage) AS funnel_stage,
            groupUniqArray(stage) AS seen,
            countIf(event_type = 'purchase') AS purchases,
            sumIf(order_value, event_type = 'purchase') AS revenue,
            sumIf(order_value, event_type = 'refund') AS refunds,
            groupUniqArrayIf(2)(currency, event_type IN ('purchase', 'refund') AND currency != '') AS currencies,
            min(is_skewed) AS is_ahead,
            max(extract(page_url, '[?&]exp=([^&#]+)')) AS experiment_variant,
            arraySort(groupArrayIf(toUnixTimestamp64Micro(event_timestamp), NOT is_skewed)) AS times,
            arraySort(groupArrayIf(toUnixTimestamp64Micro(event_timestamp), is_skewed)) AS skewed_times,
            argMin(event_timestamp, (is_skewed, event_timestamp)) AS started_at,
            argMax(event_timestamp, (NOT is_skewed, event_timestamp)) AS ended_at,
            argMin(_offset, (is_skewed, event_timestamp, _offset)) AS first_offset
        FROM event
        GROUP BY click_id
    ),
    -- Sessions of known visitors. A session with a skewed clock has no number: its time is wrong.
    numbered AS
    (
        SELECT click_id, row_number() OVER (PARTITION BY user_custom_id ORDER BY started_at, _offset, click_id) AS session_number
        FROM dds.click
        WHERE user_custom_id != '' AND isNotNull(started_at)
    )
SELECT
    visit.click_id AS click_id,
    visit.site AS site,
    click.user_domain_id AS user_domain_id,
    nullIf(click.user_custom_id, '') AS user_custom_id,
    visit.entry_page AS entry_page,
    visit.exit_page AS exit_page,
    visit.source.referer_medium AS referer_medium,
    visit.source.utm_medium AS utm_medium,
    visit.source.utm_source AS utm_source,
    visit.source.utm_campaign AS utm_campaign,
    dm_channel(visit.source.utm_medium, visit.source.utm_source, visit.source.utm_campaign, visit.source.referer_medium, sites) AS channel,
    visit.browser_name AS browser_name,
    click.os_name AS os_name,
    click.device_type AS device_type,
    click.geo_country AS geo_country,
    click.geo_region_name AS geo_region_name,
    visit.experiment_variant AS experiment_variant,
    if(visit.is_ahead, 'ahead', 'right') AS clock,
    visit.page_events AS page_events,
    visit.purchases AS purchases,
    ifNull(visit.revenue, 0) AS revenue,
    ifNull(visit.refunds, 0) AS refunds,
    revenue - refunds AS net_revenue,
    if(length(visit.currencies) = 1, visit.currencies[1], '') AS currency,
    visit.funnel_stage AS funnel_stage,
    nullIf(numbered.session_number, 0) AS session_number,
    (toUnixTimestamp64Micro(visit.ended_at) - toUnixTimestamp64Micro(visit.started_at)) / 1e6 AS duration_seconds,
    -- Of a longer gap the session pause counts. Microseconds are whole numbers, whose sum does not depend on the order.
    arraySum(
        gap -> least(gap, session_pause * 60 * 1000000),
        arrayDifference(if(visit.is_ahead, visit.skewed_times, visit.times))) / 1e6 AS engaged_seconds,
    isNotNull(click.user_domain_id) AS is_registered,
    click.device_is_mobile AS is_mobile,
    session_number = 1 AS is_new,
    visit.purchases > 0 AS has_purchase,
    arraySlice(stages.stage, 1, visit.funnel_stage) AS stages_reached,
    arrayFilter((name, number) -> has(visit.seen, number), stages.stage, arrayEnumerate(stages)) AS stages_seen,
    visit.page_events = 1 AS is_bounce,
    toDate(visit.started_at, timezone) AS session_date,
    toStartOfHour(dm_local_time(visit.started_at, timezone), 'UTC') AS session_hour,
    visit.started_at AS started_at,
    visit.ended_at AS ended_at,
    visit.first_offset AS _offset
FROM visit
LEFT JOIN dds.click AS click ON visit.click_id = click.click_id
LEFT JOIN numbered ON visit.click_id = numbered.click_id;
