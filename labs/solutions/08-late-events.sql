-- Median time from event to emission of late events, in model time.
SELECT quantileExactInclusive(0.5)(dateDiff('second', event_timestamp, emitted_at)) / 60 AS minutes
FROM ods.browser_event
WHERE has(markers, 'late_event');
