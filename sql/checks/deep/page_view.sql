-- Expected rows of dm.page_view: every page event with its neighbours in its session, whose events of fast
-- clocks come last. Entry, exit and channel are as in session.sql. The funnel is that of the load that wrote
-- the rows. Reads event and click: the found or expected rows of dds.
WITH
    (SELECT argMax(funnel, (load_id, committed_at)) FROM dm_internal.load_commit WHERE target = 'session') AS funnel,
    arrayMap(stage -> JSONExtract(stage, 'pages', 'Array(String)'), JSONExtractArrayRaw(assumeNotNull(funnel))) AS stages,
    visit AS
    (
        SELECT
            click_id,
            arraySort(groupArray((has(markers, 'skewed_clock'), event_timestamp, event_id, page_url_path, event_type, referer_medium, utm_medium, has(markers, 'location_not_found')))) AS events,
            arrayFilter(event -> NOT event.1, events) AS events_in_time,
            if(empty(events_in_time), events, events_in_time) AS timed,
            arrayFilter(event -> NOT event.8, events) AS events_with_page,
            if(empty(events_with_page), events, events_with_page) AS any_located,
            arrayFilter(event -> NOT event.1, any_located) AS located_in_time,
            if(empty(located_in_time), any_located, located_in_time) AS located
        FROM event
        GROUP BY click_id
    )
SELECT
    events[number].3 AS event_id,
    visit.click_id AS click_id,
    if(click.user_custom_id = '', NULL, click.user_custom_id) AS user_custom_id,
    events[number].4 AS page_url_path,
    if(number = 1, '', events[number - 1].4) AS previous_page,
    events[number + 1].4 AS next_page,
    events[number].5 AS event_type,
    if(
        located[1].7 = '',
        transform(
            located[1].6,
            ['', 'search', 'social', 'email', 'referral', 'direct'],
            ['unknown', 'organic search', 'organic social', 'email', 'referral', 'direct'],
            'other'),
        transform(
            located[1].7,
            ['cpc', 'paid_social', 'email', 'affiliate'],
            ['paid search', 'paid social', 'email', 'affiliate'],
            'other campaign')) AS channel,
    click.device_type AS device_type,
    click.geo_country AS geo_country,
    if(events[number].1, 'ahead', 'right') AS clock,
    number AS page_number,
    arrayLastIndex(pages -> arrayExists(pattern -> match(page_url_path, concat('^', replaceAll(regexpQuoteMeta(pattern), '\\*', '.*'), '$')), pages), stages) AS page_stage,
    if(number < length(timed), dateDiff('microsecond', events[number].2, events[number + 1].2) / 1000000, NULL) AS time_on_page_seconds,
    click.user_domain_id IS NOT NULL AS is_registered,
    event_id = located[1].3 AS is_entry,
    event_id = located[-1].3 AS is_exit,
    toDate(timed[1].2, 'UTC') AS session_date,
    toDate(event_timestamp, 'UTC') AS event_date,
    events[number].2 AS event_timestamp
FROM visit
INNER JOIN click ON visit.click_id = click.click_id
ARRAY JOIN arrayEnumerate(events) AS number;
