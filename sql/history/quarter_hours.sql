-- One row per quarter of a model hour: page events, without events of skewed clocks.
SELECT
    toStartOfFifteenMinutes(event_timestamp) AS started_at,
    count() AS page_events
FROM dm.event_enriched
WHERE event_timestamp >= fromUnixTimestamp64Micro({from:Int64}, 'UTC')
    AND event_timestamp < fromUnixTimestamp64Micro({to:Int64}, 'UTC')
    AND event_type IN ('pageview', 'purchase')
    AND NOT has(event_markers, 'skewed_clock')
GROUP BY started_at
ORDER BY started_at;
