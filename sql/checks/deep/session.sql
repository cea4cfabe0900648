-- Expected rows of dm.session: one per session with a page event, from all its events in order of time. Times
-- ignore events of fast clocks, pages and source ignore events without a location, unless there are no
-- others. The funnel is that of the load that wrote the rows. Reads event and click: the found or expected
-- rows of dds.
WITH
    (SELECT argMax(funnel, (load_id, committed_at)) FROM dm_internal.load_commit WHERE target = 'session') AS funnel,
    arrayMap(stage -> (JSONExtractString(stage, 'stage'), JSONExtract(stage, 'pages', 'Array(String)')), JSONExtractArrayRaw(assumeNotNull(funnel))) AS stages,
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
            groupUniqArray(page_url) AS urls,
            countEqual(groupArray(event_type), 'purchase') AS purchases
        FROM event
        GROUP BY click_id
    )
SELECT
    visit.click_id AS click_id,
    click.user_domain_id AS user_domain_id,
    if(click.user_custom_id = '', NULL, click.user_custom_id) AS user_custom_id,
    located[1].4 AS entry_page,
    located[-1].4 AS exit_page,
    located[1].5 AS referer_medium,
    located[1].6 AS utm_medium,
    located[1].7 AS utm_source,
    located[1].8 AS utm_campaign,
    if(
        utm_medium = '',
        transform(
            referer_medium,
            ['', 'search', 'social', 'email', 'referral', 'direct'],
            ['unknown', 'organic search', 'organic social', 'email', 'referral', 'direct'],
            'other'),
        transform(
            utm_medium,
            ['cpc', 'paid_social', 'email', 'affiliate'],
            ['paid search', 'paid social', 'email', 'affiliate'],
            'other campaign')) AS channel,
    timed[1].3 AS browser_name,
    click.os_name AS os_name,
    click.device_type AS device_type,
    click.geo_country AS geo_country,
    click.geo_region_name AS geo_region_name,
    arrayReverseSort(arrayMap(url -> extract(url, '[?&]exp=([^&#]+)'), urls))[1] AS experiment_variant,
    if(empty(events_in_time), 'ahead', 'right') AS clock,
    length(events) AS page_events,
    visit.purchases AS purchases,
    arrayMap(page -> arrayLastIndex(stage -> arrayExists(pattern -> match(page, concat('^', replaceAll(regexpQuoteMeta(pattern), '\\*', '.*'), '$')), stage.2), stages), pages) AS seen,
    arrayMax(seen) AS funnel_stage,
    if(user_custom_id IS NULL OR clock = 'ahead', NULL, row_number() OVER (PARTITION BY user_custom_id, clock ORDER BY started_at, click_id)) AS session_number,
    dateDiff('microsecond', started_at, ended_at) / 1000000 AS duration_seconds,
    arrayMap((event, next) -> dateDiff('microsecond', event.1, next.1), arrayPopBack(timed), arrayPopFront(timed)) AS gaps,
    toInt64({idle_after_seconds:UInt32}) * 1000000 AS longest_gap,
    arraySum(arrayMap(gap -> if(gap > longest_gap, longest_gap, gap), gaps)) / 1000000 AS engaged_seconds,
    click.user_domain_id IS NOT NULL AS is_registered,
    click.device_is_mobile AS is_mobile,
    session_number = 1 AS is_new,
    visit.purchases > 0 AS has_purchase,
    arrayMap(stage -> stage.1, arraySlice(stages, 1, funnel_stage)) AS stages_reached,
    arrayMap(number -> stages[number].1, arraySort(arrayDistinct(arrayFilter(number -> number > 0, seen)))) AS stages_seen,
    length(events) = 1 AS is_bounce,
    toDate(started_at, 'UTC') AS session_date,
    timed[1].1 AS started_at,
    timed[-1].1 AS ended_at
FROM visit
INNER JOIN click ON visit.click_id = click.click_id;
