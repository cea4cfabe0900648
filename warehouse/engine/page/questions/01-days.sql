-- How busy was each day?
-- A session is one stay of a visitor on the site; a page event is one page view or purchase. Days are UTC.
-- Chart: page_events by event_date
SELECT event_date, page_events, sessions, visitors, purchases
FROM dm.v_daily_activity
ORDER BY event_date
