-- Expected rows of dm.visitor: one per visitor with a session, from all sessions in order of time. First and
-- last ignore sessions of a clock that is ahead, unless there are no others. Reads session: the found or
-- expected rows of dm.session.
WITH visitor AS
(
    SELECT
        user_custom_id,
        arraySort(groupArray((started_at, click_id, ended_at, channel, utm_source, utm_campaign, entry_page, session.clock))) AS visits,
        arrayFilter(visit -> visit.8 = 'right', visits) AS visits_in_time,
        if(empty(visits_in_time), visits, visits_in_time) AS timed,
        arraySort(groupArrayIf((session.clock = 'right', started_at, click_id, session.user_domain_id), session.user_domain_id IS NOT NULL)) AS accounts,
        count() AS sessions,
        sum(session.page_events) AS page_events,
        sum(session.purchases) AS purchases
    FROM session
    WHERE user_custom_id IS NOT NULL
    GROUP BY user_custom_id
)
SELECT
    user_custom_id,
    if(empty(accounts), NULL, accounts[-1].4) AS user_domain_id,
    timed[1].4 AS first_channel,
    timed[1].5 AS first_utm_source,
    timed[1].6 AS first_utm_campaign,
    timed[1].7 AS first_entry_page,
    timed[-1].4 AS last_channel,
    timed[-1].5 AS last_utm_source,
    timed[-1].6 AS last_utm_campaign,
    timed[-1].7 AS last_entry_page,
    if(empty(visits_in_time), 'ahead', 'right') AS clock,
    sessions,
    page_events,
    purchases,
    notEmpty(accounts) AS is_registered,
    toDate(first_seen, 'UTC') AS first_date,
    timed[1].1 AS first_seen,
    arrayReverseSort(arrayMap(visit -> visit.3, timed))[1] AS last_seen
FROM visitor;
