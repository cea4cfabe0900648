-- Sessions with a new event or fact, computed from all their events. Events of a clock that is ahead count
-- for times only if there are no others, events without a location for pages and source likewise.
INSERT INTO dm.session_build
WITH
    visit AS
    (
        SELECT
            click_id,
            argMin(page_url_path, (has_no_page, is_skewed, event_timestamp, event_id)) AS entry_page,
            argMax(page_url_path, (NOT has_no_page, NOT is_skewed, event_timestamp, event_id)) AS exit_page,
            argMin((referer_medium, utm_medium, utm_source, utm_campaign), (has_no_page, is_skewed, event_timestamp, event_id)) AS source,
            argMin(browser_name, (is_skewed, event_timestamp, event_id)) AS browser_name,
            count() AS page_events,
            max(multiIf(page_url_path = '/confirmation', 5, page_url_path = '/payment', 4, page_url_path = '/cart', 3, page_url_path IN ('/product_a', '/product_b'), 2, page_url_path = '/home', 1, 0)) AS funnel_stage,
            max(event_type = 'purchase') AS has_purchase,
            argMin(event_timestamp, (is_skewed, event_timestamp)) AS started_at,
            argMax(event_timestamp, (NOT is_skewed, event_timestamp)) AS ended_at
        FROM
        (
            SELECT
                *,
                has(markers, 'skewed_clock') AS is_skewed,
                has(markers, 'location_not_found') AS has_no_page
            FROM
            (
                SELECT * FROM dds.event WHERE load_id > {from_load:UInt64}
                UNION ALL
                SELECT * FROM dds.event
                WHERE load_id <= {from_load:UInt64} AND click_id IN (SELECT id FROM dm.work_former)
            )
        )
        WHERE click_id >= toUUIDOrZero({from_click:String})
            AND ({to_click:String} = '' OR click_id < toUUIDOrZero({to_click:String}))
        GROUP BY click_id
    )
SELECT
    visit.click_id AS click_id,
    click.user_domain_id AS user_domain_id,
    click.user_custom_id AS user_custom_id,
    visit.entry_page AS entry_page,
    visit.exit_page AS exit_page,
    visit.source.1 AS referer_medium,
    visit.source.2 AS utm_medium,
    visit.source.3 AS utm_source,
    visit.source.4 AS utm_campaign,
    visit.browser_name AS browser_name,
    click.os_name AS os_name,
    click.device_type AS device_type,
    click.geo_country AS geo_country,
    click.geo_region_name AS geo_region_name,
    visit.page_events AS page_events,
    visit.funnel_stage AS funnel_stage,
    (toUnixTimestamp64Micro(visit.ended_at) - toUnixTimestamp64Micro(visit.started_at)) / 1e6 AS duration_seconds,
    isNotNull(click.user_domain_id) AS is_registered,
    click.device_is_mobile AS is_mobile,
    visit.has_purchase AS has_purchase,
    toDate(visit.started_at, 'UTC') AS session_date,
    visit.started_at AS started_at,
    visit.ended_at AS ended_at
FROM visit
LEFT JOIN
(
    SELECT * FROM dds.click
    WHERE click_id >= toUUIDOrZero({from_click:String})
        AND ({to_click:String} = '' OR click_id < toUUIDOrZero({to_click:String}))
        AND (load_id > {from_load:UInt64} OR click_id IN (SELECT id FROM dm.work_former))
) AS click
    ON visit.click_id = click.click_id
SETTINGS max_partitions_per_insert_block = 0;
