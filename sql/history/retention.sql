-- One row per cohort (UTC date of the first session) and days since then: visitors who came.
WITH first_visit AS
(
    SELECT user_custom_id, min(session_date) AS cohort
    FROM dm.session
    WHERE user_custom_id != ''
        AND started_at < fromUnixTimestamp64Micro({to:Int64}, 'UTC')
    GROUP BY user_custom_id
)
SELECT
    toString(first_visit.cohort) AS cohort,
    toUInt32(session.session_date - first_visit.cohort) AS day_number,
    uniqExact(session.user_custom_id) AS visitors
FROM dm.session AS session
INNER JOIN first_visit ON session.user_custom_id = first_visit.user_custom_id
WHERE session.started_at < fromUnixTimestamp64Micro({to:Int64}, 'UTC')
GROUP BY cohort, day_number
ORDER BY cohort, day_number;
