-- One row: page events and sessions in the {window} microseconds before and after t_end, by time of
-- emission. weight: sum of squared page events per session, for the spread of the counts.
WITH per_visit AS
(
    SELECT
        click_id,
        countIf(since_end < 0) AS before,
        countIf(since_end >= 0) AS after,
        min(since_end) AS first_at,
        max(since_end) AS last_at,
        maxIf(since_end, since_end < 0) AS last_before,
        minIf(since_end, since_end >= 0) AS first_after
    FROM
    (
        SELECT
            click_id,
            toUnixTimestamp64Micro(assumeNotNull(emitted_at)) - {t_end:Int64} AS since_end
        FROM ods.browser_event
        WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit)
            AND emitted_at >= fromUnixTimestamp64Micro({t_end:Int64} - {window:Int64}, 'UTC')
            AND emitted_at < fromUnixTimestamp64Micro({t_end:Int64} + {window:Int64}, 'UTC')
            AND event_type IN ('pageview', 'purchase')
            AND NOT has(markers, 'late_event')
    )
    GROUP BY click_id
)
SELECT
    sum(per_visit.before) AS before,
    sum(per_visit.after) AS after,
    sum((per_visit.before + per_visit.after) * (per_visit.before + per_visit.after)) AS weight,
    countIf(per_visit.before > 0 AND per_visit.first_at > -{window:Int64}) AS visits_before,
    sum(least(per_visit.last_at, 0) - least(per_visit.first_at, 0)) AS time_before,
    maxIf(per_visit.last_before, per_visit.before > 0) AS last_before,
    minIf(per_visit.first_after, per_visit.after > 0) AS first_after
FROM per_visit;
