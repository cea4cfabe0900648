-- Expected row of dm.complete_period. is_settled: no epoch or source is newer than the summary; else the last
-- day may have been open when it was computed, or complete.
WITH
    (
        SELECT (min(event_timestamp), max(event_timestamp)) FROM dm.event_enriched
        WHERE NOT has(event_markers, 'skewed_clock')
    ) AS bounds,
    toStartOfHour(bounds.1, 'UTC') AS oldest_hour,
    toStartOfHour(bounds.2, 'UTC') AS newest_hour,
    greatest(toDate(bounds.2, 'UTC'), toDate('1970-01-02')) AS newest_day,
    (
        SELECT min(parseDateTime64BestEffortOrZero(JSONExtractString(manifest, 't_end'), 6, 'UTC'))
        FROM stg.manifest FINAL
        WHERE epoch = (SELECT max(epoch) FROM stg.epoch)
    ) AS finished_until,
    (SELECT max(computed_at) FROM dm.dq_summary) AS computed_at
SELECT
    if(toMinute(bounds.1) = 0, oldest_hour, oldest_hour + INTERVAL 1 HOUR) AS whole_hours_from,
    if(toMinute(bounds.2) = 59, newest_hour + INTERVAL 1 HOUR, newest_hour) AS whole_hours_until,
    if(toDate(finished_until, 'UTC') > newest_day, newest_day, newest_day - 1) AS last_complete_day,
    computed_at >= (SELECT max(started_at) FROM stg.epoch)
        AND computed_at >= (SELECT max(stored_at) FROM stg.manifest) AS is_settled;
