-- Do visitors come back?
-- Of the visitors whose first session was on a day, the share that came again so many days later.
SELECT day_number, round(100 * sum(visitors) / sum(cohort_visitors), 1) AS percent
FROM dm.v_retention
WHERE day_number > 0
GROUP BY day_number
ORDER BY day_number
