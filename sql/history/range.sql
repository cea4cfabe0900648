-- One row: the first and last page event without a skewed clock, microseconds since 1970.
SELECT
    count() AS page_events,
    toUnixTimestamp64Micro(min(event_timestamp)) AS first_at,
    toUnixTimestamp64Micro(max(event_timestamp)) AS last_at
FROM dm.event_enriched
WHERE event_type IN ('pageview', 'purchase') AND NOT has(event_markers, 'skewed_clock');
