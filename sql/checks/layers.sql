-- The sums that must agree from ods to dm; one row per identity.
SELECT identity, expected, found
FROM
(
    SELECT 1 AS position, 'typed browser messages = dds.event + duplicates + superseded' AS identity,
        (SELECT count() FROM ods.browser_event WHERE load_id <= (SELECT max(load_id) FROM dds.load_commit)) AS expected,
        (SELECT count() + sum(duplicates) + sum(superseded) FROM dds.event) AS found
    UNION ALL
    SELECT 2, 'every event_id once in dds.event',
        (SELECT count() FROM dds.event),
        (SELECT uniqExact(event_id) FROM dds.event)
    UNION ALL
    SELECT 3, 'click_ids of browser, device and geo = dds.click',
        (
            SELECT uniqExact(click_id) FROM
            (
                SELECT click_id FROM ods.browser_event WHERE load_id <= (SELECT max(load_id) FROM dds.load_commit)
                UNION ALL
                SELECT click_id FROM ods.device_event WHERE load_id <= (SELECT max(load_id) FROM dds.load_commit)
                UNION ALL
                SELECT click_id FROM ods.geo_event WHERE load_id <= (SELECT max(load_id) FROM dds.load_commit)
            )
        ),
        (SELECT count() FROM dds.click)
    UNION ALL
    SELECT 4, 'every event has its click (orphan_events = 0)',
        0,
        (SELECT countIf(click_id NOT IN (SELECT click_id FROM dds.click)) FROM dds.event)
    UNION ALL
    SELECT 5, 'dds.event = dm.event_enriched',
        (SELECT count() FROM dds.event),
        (SELECT count() FROM dm.event_enriched)
    UNION ALL
    SELECT 6, 'dds.event = page events of dm.session',
        (SELECT count() FROM dds.event),
        (SELECT sum(page_events) FROM dm.session)
    UNION ALL
    SELECT 7, 'purchases of dds.event = of dm.event_enriched',
        (SELECT countIf(event_type = 'purchase') FROM dds.event),
        (SELECT countIf(event_type = 'purchase') FROM dm.event_enriched)
    UNION ALL
    SELECT 8, 'days on which dds.event and dm.event_enriched differ',
        0,
        (
            SELECT countIf(difference != 0) FROM
            (
                SELECT day, sum(event) AS difference FROM
                (
                    SELECT toDate(event_timestamp, 'UTC') AS day, 1 AS event FROM dds.event
                    UNION ALL
                    SELECT event_date, -1 FROM dm.event_enriched
                )
                GROUP BY day
            )
        )
)
ORDER BY position;
