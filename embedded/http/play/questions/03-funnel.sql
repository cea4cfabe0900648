-- How far do sessions get?
-- Sessions that reached each stage, and their share of those that reached the first one.
SELECT stage, sum(visits) AS sessions,
  round(100 * sessions / first_value(sessions) OVER (ORDER BY any(stage_number)), 1) AS percent
FROM dm.v_funnel
GROUP BY stage
ORDER BY any(stage_number)
