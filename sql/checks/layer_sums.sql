-- Sums of rows that must agree from stg to dm, one row per sum. step: the step that restores the sum.
-- {dds_load}: the last load in dds, from progress.sql.
WITH
    committed AS (SELECT load_id FROM ods.load_commit),
    expired AS (SELECT * FROM dds.expired_click WHERE NOT has_left),
    expired_id AS (SELECT click_id FROM expired),
    raw_epoch AS (SELECT DISTINCT epoch FROM stg.raw),
    {dds_load:UInt64} AS integrated
SELECT layer, step, identity, expected, found
FROM
(
    SELECT 1 AS position, 'stg' AS layer, '' AS step, 'epochs of the messages in stg are registered' AS identity,
        (SELECT count() FROM raw_epoch) AS expected,
        (SELECT count() FROM raw_epoch WHERE epoch IN (SELECT epoch FROM stg.epoch)) AS found
    UNION ALL
    SELECT 2, 'ods', 'load_ods', 'committed loads of ods have planned offsets',
        (SELECT uniqExact(load_id) FROM ods.load_commit),
        (SELECT uniqExact(load_id) FROM ods.load_range WHERE load_id IN committed)
    UNION ALL
    SELECT 3, 'dds', 'load_dds', 'loads in dds are committed in ods',
        (SELECT uniqExact(load_id) FROM dds.load_commit WHERE load_id > 0),
        (SELECT uniqExact(load_id) FROM dds.load_commit WHERE load_id IN committed)
    UNION ALL
    SELECT 4, 'dds', 'load_dds', 'typed browser messages = dds.event + duplicates + superseded',
        (SELECT count() FROM ods.browser_event WHERE load_id <= integrated AND load_id IN committed),
        (SELECT count() + sum(duplicates) + sum(superseded) FROM dds.event WHERE click_id NOT IN expired_id)
    UNION ALL
    SELECT 5, 'dds', 'load_dds', 'every event_id once in dds.event',
        (SELECT count() FROM dds.event),
        (SELECT uniqExact(event_id) FROM dds.event)
    UNION ALL
    SELECT 6, 'dds', 'load_dds', 'click_ids of browser, device and geo = dds.click',
        (
            SELECT uniqExact(click_id) FROM merge('ods', '^(browser|device|geo)_event$')
            WHERE load_id <= integrated AND load_id IN committed
        ),
        (SELECT count() FROM dds.click WHERE click_id NOT IN expired_id)
    UNION ALL
    SELECT 7, 'dds', 'load_dds', 'browser messages of expired sessions = dds.event + duplicates + superseded',
        (SELECT sum(messages) FROM expired),
        (SELECT count() + sum(duplicates) + sum(superseded) FROM dds.event WHERE click_id IN expired_id)
    UNION ALL
    SELECT 8, 'dds', 'load_dds', 'expired sessions are in dds.click',
        (SELECT count() FROM expired),
        (SELECT count() FROM dds.click WHERE click_id IN expired_id)
    UNION ALL
    SELECT 9, 'dds', 'load_dds', 'every event has a session (orphan_events = 0)',
        0,
        (SELECT countIf(click_id NOT IN (SELECT click_id FROM dds.click)) FROM dds.event)
    UNION ALL
    SELECT 10, 'dm', '', 'loads in dm are committed in dds',
        (SELECT uniqExact(load_id) FROM dm_internal.load_commit WHERE load_id > 0),
        (SELECT uniqExact(load_id) FROM dm_internal.load_commit WHERE load_id > 0 AND load_id IN (SELECT load_id FROM dds.load_commit))
    UNION ALL
    SELECT 11, 'dm', 'load_dm_events', 'dds.event = dm.event_enriched',
        (SELECT count() FROM dds.event),
        (SELECT count() FROM dm.event_enriched)
    UNION ALL
    SELECT 12, 'dm', 'load_dm_sessions', 'page events of dds.event = of dm.session',
        (SELECT countIf(event_type IN ('pageview', 'purchase')) FROM dds.event),
        (SELECT sum(page_events) FROM dm.session)
    UNION ALL
    SELECT 13, 'dm', 'load_dm_visitors', 'sessions of visitors = sessions of dm.visitor',
        (SELECT count(user_custom_id) FROM dm.session),
        (SELECT sum(sessions) FROM dm.visitor)
    UNION ALL
    SELECT 14, 'dm', 'load_dm_events', 'purchases of dds.event = of dm.event_enriched',
        (SELECT countIf(event_type = 'purchase') FROM dds.event),
        (SELECT countIf(event_type = 'purchase') FROM dm.event_enriched)
    UNION ALL
    SELECT 15, 'dm', 'load_dm_events', 'days on which dds.event and dm.event_enriched differ',
        0,
        (
            SELECT countIf(difference != 0) FROM
            (
                SELECT day, sum(event) AS difference FROM
                (
                    SELECT toDate(event_timestamp, (SELECT timezone FROM dm_internal.site)) AS day, 1 AS event FROM dds.event
                    UNION ALL
                    SELECT event_date, -1 FROM dm.event_enriched
                )
                GROUP BY day
            )
        )
    UNION ALL
    SELECT 16, 'dm', 'load_dm_sessions', 'page events of dds.event = dm.page_view',
        (SELECT countIf(event_type IN ('pageview', 'purchase')) FROM dds.event),
        (SELECT count() FROM dm.page_view)
    UNION ALL
    SELECT 17, 'dm', 'load_dm_summary', 'rows of dds and dm = rows in dm.dq_summary',
        (SELECT count() FROM dds.event) + (SELECT count() FROM dds.click)
            + (SELECT count() FROM dm.event_enriched) + (SELECT count() FROM dm.session)
            + (SELECT count() FROM dm.page_view) + (SELECT count() FROM dm.visitor),
        (SELECT sum(value) FROM dm.dq_summary WHERE layer IN ('dds', 'dm') AND metric = 'rows')
)
ORDER BY position;
