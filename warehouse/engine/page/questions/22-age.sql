-- Who is active, and how old are the data?
-- Visitors of the last 5 minutes, and seconds: since the newest message, by which the marts are behind stg, and from an event to its arrival, which is constant after a history or a pause of the generator. Repeats every 10 seconds while it is shown.
-- Chart: active_visitors by active_sessions
-- Every: 10 seconds
SELECT active_visitors, active_sessions, message_age_seconds, marts_behind_seconds, event_lag_seconds
FROM dm.v_live_now
