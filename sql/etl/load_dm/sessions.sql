-- Sessions with a new event or fact, computed from all their events. Times ignore events of a clock that is
-- ahead, unless there are no others. Pages and source ignore events without a location likewise.
INSERT INTO dm_internal.session_build
WITH
    (SELECT JSONExtract({funnel:String}, 'Array(Tuple(stage String, pages Array(String)))')) AS stages,
    -- Pages with the number of their stage; a pattern ends with *.
    (SELECT arrayFlatten(arrayMap((one, number) -> arrayMap(page -> (page, number), one.pages), stages, arrayEnumerate(stages)))) AS funnel_pages,
    visit AS
    (
        SELECT
            click_id,
            argMin(page_url_path, (has_no_page, is_skewed, event_timestamp, event_id)) AS entry_page,
            argMax(page_url_path, (NOT has_no_page, NOT is_skewed, event_timestamp, event_id)) AS exit_page,
            argMin((referer_medium, utm_medium, utm_source, utm_campaign), (has_no_page, is_skewed, event_timestamp, event_id)) AS source,
            argMin(browser_name, (is_skewed, event_timestamp, event_id)) AS browser_name,
            count() AS page_events,
            max(stage) AS funnel_stage,
            groupUniqArray(stage) AS seen,
            countIf(event_type = 'purchase') AS purchases,
            min(is_skewed) AS is_ahead,
            max(extract(page_url, '[?&]exp=([^&#]+)')) AS experiment_variant,
            groupArrayIf(event_timestamp, NOT is_skewed) AS times,
            groupArrayIf(event_timestamp, is_skewed) AS skewed_times,
            argMin(event_timestamp, (is_skewed, event_timestamp)) AS started_at,
            argMax(event_timestamp, (NOT is_skewed, event_timestamp)) AS ended_at
        FROM
        (
            SELECT
                *,
                has(markers, 'skewed_clock') AS is_skewed,
                has(markers, 'location_not_found') AS has_no_page,
                toUInt8(arrayMax(arrayMap(
                    page -> if(page_url_path = page.1 OR endsWith(page.1, '*') AND startsWith(page_url_path, substring(page.1, 1, length(page.1) - 1)), page.2, 0),
                    funnel_pages))) AS stage
            FROM
            (
                SELECT * FROM dds.event WHERE load_id > {from_load:UInt64}
                UNION ALL
                SELECT * FROM dds.event
                WHERE load_id <= {from_load:UInt64} AND click_id IN (SELECT id FROM dm_internal.work_previous)
            )
        )
        WHERE click_id >= toUUIDOrZero({from_click:String})
            AND ({to_click:String} = '' OR click_id < toUUIDOrZero({to_click:String}))
        GROUP BY click_id
    )
SELECT
    visit.click_id AS click_id,
    click.user_domain_id AS user_domain_id,
    nullIf(click.user_custom_id, '') AS user_custom_id,
    visit.entry_page AS entry_page,
    visit.exit_page AS exit_page,
    visit.source.1 AS referer_medium,
    visit.source.2 AS utm_medium,
    visit.source.3 AS utm_source,
    visit.source.4 AS utm_campaign,
    multiIf(
        utm_medium = 'cpc', 'paid search',
        utm_medium = 'paid_social', 'paid social',
        utm_medium IN ('email', 'affiliate'), utm_medium,
        utm_medium != '', 'other campaign',
        referer_medium = 'search', 'organic search',
        referer_medium = 'social', 'organic social',
        referer_medium IN ('email', 'referral', 'direct'), referer_medium,
        referer_medium = '', 'unknown',
        'other') AS channel,
    visit.browser_name AS browser_name,
    click.os_name AS os_name,
    click.device_type AS device_type,
    click.geo_country AS geo_country,
    click.geo_region_name AS geo_region_name,
    visit.experiment_variant AS experiment_variant,
    if(visit.is_ahead, 'ahead', 'right') AS clock,
    visit.page_events AS page_events,
    visit.purchases AS purchases,
    visit.funnel_stage AS funnel_stage,
    nullIf(numbered.session_number, 0) AS session_number,
    (toUnixTimestamp64Micro(visit.ended_at) - toUnixTimestamp64Micro(visit.started_at)) / 1e6 AS duration_seconds,
    -- Microseconds are whole numbers, whose sum does not depend on the order.
    arraySum(
        gap -> least(gap, toInt64({idle_after_seconds:UInt32}) * 1000000),
        arrayDifference(arraySort(arrayMap(time -> toUnixTimestamp64Micro(time), if(visit.is_ahead, visit.skewed_times, visit.times))))) / 1e6 AS engaged_seconds,
    isNotNull(click.user_domain_id) AS is_registered,
    click.device_is_mobile AS is_mobile,
    session_number = 1 AS is_new,
    visit.purchases > 0 AS has_purchase,
    arraySlice(stages.stage, 1, visit.funnel_stage) AS stages_reached,
    arrayFilter((name, number) -> has(visit.seen, number), stages.stage, arrayEnumerate(stages)) AS stages_seen,
    visit.page_events = 1 AS is_bounce,
    toDate(visit.started_at, 'UTC') AS session_date,
    visit.started_at AS started_at,
    visit.ended_at AS ended_at
FROM visit
LEFT JOIN
(
    SELECT * FROM dds.click
    WHERE click_id >= toUUIDOrZero({from_click:String})
        AND ({to_click:String} = '' OR click_id < toUUIDOrZero({to_click:String}))
        AND (load_id > {from_load:UInt64} OR click_id IN (SELECT id FROM dm_internal.work_previous))
) AS click
    ON visit.click_id = click.click_id
LEFT JOIN
(
    SELECT * FROM dm_internal.work_number
    WHERE click_id >= toUUIDOrZero({from_click:String})
        AND ({to_click:String} = '' OR click_id < toUUIDOrZero({to_click:String}))
) AS numbered
    ON visit.click_id = numbered.click_id
SETTINGS max_partitions_per_insert_block = 0;
