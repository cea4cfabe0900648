-- Sessions by the UTC day on which they began.
SELECT session_date AS day, count() AS sessions
FROM dm.session
WHERE clock = 'right' AND session_date <= (SELECT last_complete_day FROM dm.complete_period)
GROUP BY day
ORDER BY day;
