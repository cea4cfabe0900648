-- Which sources bring buyers?
-- Sessions and purchases by the class of the referrer.
SELECT referer_medium AS source, sum(visits) AS sessions, sum(purchases) AS purchases,
  round(100 * purchases / sessions, 1) AS purchases_per_100_sessions
FROM dm.v_sources
GROUP BY source
ORDER BY sessions DESC
