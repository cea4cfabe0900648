-- How many visitors are active?
-- Different visitors of each day, and of the seven days that end with it. The first six days of the data have shorter windows.
-- Chart: visitors_of_7_days by day
SELECT last_day AS day, uniqExactIf(user_custom_id, session_date = last_day) AS visitors,
  uniqExact(user_custom_id) AS visitors_of_7_days
FROM dm.session
ARRAY JOIN arrayMap(days -> session_date + days, range(7)) AS last_day
WHERE clock = 'right' AND last_day <= (SELECT last_complete_day FROM dm.complete_period)
GROUP BY day
ORDER BY day
