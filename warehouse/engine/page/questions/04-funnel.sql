-- How far do sessions get?
-- Stages on the way to a purchase: the sessions that reached each one, and their share of all sessions.
-- Chart: percent by stage
SELECT stage, sum(sessions) AS sessions,
  round(100 * sessions / (SELECT sum(sessions) FROM dm.v_totals), 1) AS percent
FROM dm.v_funnel
GROUP BY stage
ORDER BY any(stage_number)
