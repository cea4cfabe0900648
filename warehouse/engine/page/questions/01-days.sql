-- How busy was each day?
-- A session is one stay of a visitor on the site; a page event is one page view or purchase. Days are those of the site's clock.
-- Chart: page_events by event_date
SELECT event_date, sum(page_events) AS page_events, sum(sessions) AS sessions, sum(visitors) AS visitors,
  sum(purchases) AS purchases
FROM dm.v_daily_activity
GROUP BY event_date
ORDER BY event_date
