-- One row per session with at least one event; key click_id. Times ignore events of a clock that is ahead,
-- unless there are no others. Pages and source ignore events without a location likewise.
WITH
    (SELECT stages FROM dm_internal.site) AS stages,
    assumeNotNull((SELECT session_pause FROM dm_internal.site)) AS session_pause,
    (SELECT timezone FROM dm_internal.site) AS timezone,
    (SELECT (groupArray(name), groupArray(category)) FROM dm_internal.referring_site) AS sites,
    -- Pages with the number of their stage; a pattern ends with *.
    (SELECT arrayFlatten(arrayMap((one, number) -> arrayMap(page -> (page, number), one.pages), stages, arrayEnumerate(stages)))) AS funnel_pages,
    event AS
    (
        SELECT
            *,
            has(markers, 'skewed_clock') AS is_skewed,
            has(markers, 'location_not_found') AS has_no_page,
            event_type IN ('pageview', 'purchase') AS is_page,
            toUInt8(if(is_page, arrayMax(arrayMap(
                page -> if(page_url_path = page.1 OR endsWith(page.1, '*') AND startsWith(page_url_path, substring(page.1, 1, length(page.1) - 1)), page.2, 0),
                funnel_pages)), 0)) AS stage
        FROM dds.event
    ),
    visit AS
    (
        SELECT
            click_id,
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
    -- Sessions of known visitors. A session of a clock that is ahead has no number: its time is wrong.
    numbered AS
    (
        SELECT click_id, row_number() OVER (PARTITION BY user_custom_id ORDER BY started_at, _offset, click_id) AS session_number
        FROM dds.click
        WHERE user_custom_id != '' AND isNotNull(started_at)
    ),
    -- Rules of the default channel group of Google Analytics, without those that need the advertiser's account.
    lower(visit.source.utm_medium) AS medium,
    lower(visit.source.utm_source) AS source_name,
    transform(source_name, sites.1, sites.2, transform(firstSignificantSubdomain(source_name), sites.1, sites.2, '')) AS source_category,
    -- A campaign without a source is of the referrer.
    if(source_name = '', visit.source.referer_medium, source_category) AS category,
    match(medium, '^(.*cp.*|ppc|retargeting|paid.*)$') AS is_paid,
    -- A medium such as paid_social names the category of a source that is unknown.
    if(category IN ('search', 'social', 'video', 'shopping'), category, extract(medium, 'search|social|video|shopping')) AS paid_category
SELECT
    visit.click_id AS click_id,
    click.user_domain_id AS user_domain_id,
    nullIf(click.user_custom_id, '') AS user_custom_id,
    visit.entry_page AS entry_page,
    visit.exit_page AS exit_page,
    visit.source.referer_medium AS referer_medium,
    visit.source.utm_medium AS utm_medium,
    visit.source.utm_source AS utm_source,
    visit.source.utm_campaign AS utm_campaign,
    multiIf(
        medium = '' AND source_name = '' AND visit.source.referer_medium = '', 'unknown',
        lower(visit.source.utm_campaign) LIKE '%cross-network%', 'cross-network',
        medium = '' AND source_name = '', transform(visit.source.referer_medium,
            ['internal', 'search', 'social', 'video', 'shopping', 'email', 'referral', 'direct'],
            ['direct', 'organic search', 'organic social', 'organic video', 'organic shopping', 'email', 'referral', 'direct'], 'other'),
        is_paid AND (paid_category = 'shopping' OR match(lower(visit.source.utm_campaign), '(^|[^a-df-z])shop|shopping')), 'paid shopping',
        is_paid AND paid_category != '', concat('paid ', paid_category),
        medium IN ('display', 'banner', 'expandable', 'interstitial', 'cpm'), 'display',
        is_paid, 'paid other',
        source_category = 'shopping' OR match(lower(visit.source.utm_campaign), '(^|[^a-df-z])shop|shopping'), 'organic shopping',
        source_category = 'social' OR match(medium, '^(sm|social([ _-](network|media))?)$'), 'organic social',
        source_category = 'video' OR medium LIKE '%video%', 'organic video',
        source_category = 'search' OR medium = 'organic', 'organic search',
        medium IN ('referral', 'app', 'link'), 'referral',
        match(medium, '^e[ _-]?mail$') OR match(source_name, '^e[ _-]?mail$') OR source_category = 'email', 'email',
        medium IN ('affiliate', 'audio', 'sms'), medium,
        source_name = 'sms', 'sms',
        match(medium, 'push$|mobile|notification') OR source_name = 'firebase', 'mobile push',
        'other campaign') AS channel,
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
    -- Time of the site's clock; the type calls it UTC.
    toStartOfHour(addSeconds(visit.started_at, timeZoneOffset(toTimeZone(visit.started_at, timezone))), 'UTC') AS session_hour,
    visit.started_at AS started_at,
    visit.ended_at AS ended_at,
    visit.first_offset AS _offset
FROM visit
LEFT JOIN dds.click AS click ON visit.click_id = click.click_id
LEFT JOIN numbered ON visit.click_id = numbered.click_id;
