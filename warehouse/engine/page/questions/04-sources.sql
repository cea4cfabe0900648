-- Which sources bring buyers?
-- Sessions by the kind of site that led to them, their purchases, and the share of sessions with a purchase.
-- Chart: purchases by source
SELECT referer_medium AS source, sum(sessions) AS sessions, sum(purchases) AS purchases,
  round(100 * sum(purchase_sessions) / sessions, 1) AS percent_with_purchase
FROM dm.v_sources
GROUP BY source
ORDER BY sessions DESC
