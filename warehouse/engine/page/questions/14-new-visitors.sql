-- Are visitors new?
-- Percent of each day's sessions that are the first of their visitor. Early days have more, because the data begin then.
-- Chart: percent_new by session_date
SELECT session_date, count() AS sessions, round(100 * avg(is_new), 1) AS percent_new,
  round(100 * avgIf(has_purchase, is_new), 1) AS percent_of_new_with_purchase,
  round(100 * avgIf(has_purchase, NOT is_new), 1) AS percent_of_others_with_purchase
FROM dm.session
WHERE clock = 'right' AND is_new IS NOT NULL
GROUP BY session_date
ORDER BY session_date
