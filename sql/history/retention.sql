-- One row per cohort (UTC date of the first session) and days since then: visitors who came.
SELECT toString(v_retention.cohort) AS cohort, day_number, visitors
FROM dm.v_retention
ORDER BY cohort, day_number;
