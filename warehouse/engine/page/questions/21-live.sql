-- What happens right now?
-- The last 30 minutes, straight from stg, by the minute in which messages came (UTC). Repeats every 10 seconds while it is shown.
-- Chart: page_events by minute
-- Every: 10 seconds
SELECT minute, page_events, sessions, visitors, purchases, revenue, rejected_messages
FROM dm.v_live_minutes
ORDER BY minute DESC
