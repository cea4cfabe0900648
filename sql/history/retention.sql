-- One row per cohort (day of the first session by the site's clock) and days since then: visitors who came.
SELECT toString(v_retention.cohort) AS cohort, day_number, sum(v_retention.visitors) AS visitors
FROM dm.v_retention
GROUP BY cohort, day_number
ORDER BY cohort, day_number;
