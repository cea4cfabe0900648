-- One row per model day: page events, sessions, visitors and purchases; without skewed clocks.
SELECT
    event_date AS day,
    count() AS page_events,
    uniqExact(click_id) AS visits,
    uniqExactIf(user_custom_id, user_custom_id != '') AS visitors,
    countIf(event_type = 'purchase') AS purchases
FROM dm.event_enriched
WHERE event_timestamp >= fromUnixTimestamp64Micro({from:Int64}, 'UTC')
    AND event_timestamp < fromUnixTimestamp64Micro({to:Int64}, 'UTC')
    AND NOT has(event_markers, 'skewed_clock')
GROUP BY event_date
ORDER BY event_date;
