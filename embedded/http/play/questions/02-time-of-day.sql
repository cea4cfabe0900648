-- At what time of day do people come?
-- The model follows a daily wave in UTC: the average of each hour over all days.
SELECT toHour(event_hour) AS hour, round(avg(page_events)) AS page_events
FROM dm.v_hourly_activity
GROUP BY hour
ORDER BY hour
