-- One row: the hours and days that are complete, by events without a skewed clock. An hour is whole if its first and
-- last minute have an event. A day is complete once the next one has an event, or every history of the latest epoch
-- ends after it. Earlier epochs get no more events.
WITH
    (SELECT timezone FROM dm_internal.site) AS timezone,
    (
        SELECT min(parseDateTime64BestEffortOrZero(JSONExtractString(manifest, 't_end'), 6, 'UTC'))
        FROM stg.manifest FINAL
        WHERE epoch = (SELECT max(epoch) FROM stg.epoch)
    ) AS finished_until,
    -- The minimum is 1970-01-01: dates have no earlier day.
    greatest(toDate(newest, timezone), toDate('1970-01-02')) AS newest_day,
    greatest(toDate(finished_until, timezone), toDate('1970-01-02')) - 1 AS finished_day
SELECT
    toStartOfHour(dm_local_time(oldest, timezone) + INTERVAL 59 MINUTE, 'UTC') AS whole_hours_from,
    toStartOfHour(dm_local_time(newest, timezone) + INTERVAL 1 MINUTE, 'UTC') AS whole_hours_until,
    greatest(newest_day - 1, least(newest_day, finished_day)) AS last_complete_day,
    timezone,
    newest AS newest_event
FROM
(
    SELECT
        min(started_at) AS oldest,
        max(ended_at) AS newest
    FROM dm.session
    WHERE clock = 'right'
);
