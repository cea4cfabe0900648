-- Do visitors come back?
-- Percent of visitors who came again 1, 2, 3 … days after their first day. Only complete days count, so one day of data gives no row.
-- Chart: percent by day_number
SELECT day_number, round(100 * sum(visitors) / sum(cohort_visitors), 1) AS percent
FROM dm.v_retention
WHERE day_number > 0
GROUP BY day_number
ORDER BY day_number
