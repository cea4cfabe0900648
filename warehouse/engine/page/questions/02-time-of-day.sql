-- At what time of day do people come?
-- Mean number of page events in each hour of the day: hour 9 is 09:00 to 09:59 by the site's clock. The first and the last hour of the data count only if they are complete.
-- Chart: mean_page_events by hour
SELECT toHour(event_hour) AS hour, round(sum(page_events) / uniqExact(event_hour)) AS mean_page_events
FROM dm.v_hourly_activity
CROSS JOIN dm.complete_period
WHERE event_hour >= whole_hours_from AND event_hour < whole_hours_until
GROUP BY hour
ORDER BY hour
