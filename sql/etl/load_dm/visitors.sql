-- Visitors with a changed session, computed from all their sessions; a full build takes all.
INSERT INTO dm_internal.visitor_build
SELECT
    visitor AS user_custom_id,
    account AS user_domain_id,
    first_touch.1 AS first_channel,
    first_touch.2 AS first_utm_source,
    first_touch.3 AS first_utm_campaign,
    first_touch.4 AS first_entry_page,
    last_touch.1 AS last_channel,
    last_touch.2 AS last_utm_source,
    last_touch.3 AS last_utm_campaign,
    last_touch.4 AS last_entry_page,
    if(is_ahead, 'ahead', 'right') AS clock,
    sessions,
    page_events,
    purchases,
    isNotNull(account) AS is_registered,
    toDate(first_seen, 'UTC') AS first_date,
    first_seen,
    last_seen
FROM
(
    SELECT
        assumeNotNull(user_custom_id) AS visitor,
        argMax(user_domain_id, (clock = 'right', started_at, click_id)) AS account,
        argMin((channel, utm_source, utm_campaign, entry_page), (clock = 'ahead', started_at, click_id)) AS first_touch,
        argMax((channel, utm_source, utm_campaign, entry_page), (clock = 'right', started_at, click_id)) AS last_touch,
        min(clock = 'ahead') AS is_ahead,
        count() AS sessions,
        sum(session.page_events) AS page_events,
        sum(session.purchases) AS purchases,
        argMin(started_at, (clock = 'ahead', started_at)) AS first_seen,
        argMax(ended_at, (clock = 'right', ended_at)) AS last_seen
    FROM dm.session
    WHERE isNotNull(user_custom_id)
        AND ({from_load:UInt64} = 0 OR user_custom_id IN (SELECT user_custom_id FROM dm_internal.work_visitor))
    GROUP BY visitor
);
