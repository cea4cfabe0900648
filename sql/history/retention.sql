-- One row per cohort (day of the first session by the site's clock) and days since then: visitors who came.
SELECT toString(v_retention.cohort) AS cohort, day_number, visitors
FROM dm.v_retention
ORDER BY cohort, day_number;
