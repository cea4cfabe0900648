-- One row per visitor with a session; key user_custom_id. First and last ignore sessions with a skewed
-- clock, unless there are no others.
WITH visitor AS
(
    SELECT
        user_custom_id,
        max(session.site) AS site,
        argMax(user_domain_id, (clock = 'right', started_at, _offset, click_id)) AS account,
        argMin((channel, utm_source, utm_campaign, entry_page), (clock = 'ahead', started_at, _offset, click_id))
            ::Tuple(channel LowCardinality(String), utm_source LowCardinality(String), utm_campaign LowCardinality(String), entry_page LowCardinality(String)) AS first,
        argMax((channel, utm_source, utm_campaign, entry_page), (clock = 'right', started_at, _offset, click_id))
            ::Tuple(channel LowCardinality(String), utm_source LowCardinality(String), utm_campaign LowCardinality(String), entry_page LowCardinality(String)) AS last,
        min(clock = 'ahead') AS is_ahead,
        count() AS sessions,
        sum(session.page_events) AS page_events,
        sum(session.purchases) AS purchases,
        sum(session.revenue) AS revenue,
        sum(session.refunds) AS refunds,
        sum(session.net_revenue) AS net_revenue,
        argMin(started_at, (clock = 'ahead', started_at)) AS first_seen,
        argMax(ended_at, (clock = 'right', ended_at)) AS last_seen
    FROM dm.session AS session
    WHERE isNotNull(user_custom_id)
    GROUP BY user_custom_id
)
SELECT
    assumeNotNull(user_custom_id) AS user_custom_id,
    site,
    account AS user_domain_id,
    first.channel AS first_channel,
    first.utm_source AS first_utm_source,
    first.utm_campaign AS first_utm_campaign,
    first.entry_page AS first_entry_page,
    last.channel AS last_channel,
    last.utm_source AS last_utm_source,
    last.utm_campaign AS last_utm_campaign,
    last.entry_page AS last_entry_page,
    if(is_ahead, 'ahead', 'right') AS clock,
    sessions,
    page_events,
    purchases,
    revenue,
    refunds,
    net_revenue,
    isNotNull(account) AS is_registered,
    toDate(first_seen, (SELECT timezone FROM dm_internal.site)) AS first_date,
    first_seen,
    last_seen
FROM visitor;
