-- Which channels bring buyers?
-- Sessions by default channel group of Google Analytics, their purchases, and the share of sessions with a purchase.
-- Chart: purchases by channel
SELECT channel, sum(sessions) AS sessions, sum(purchases) AS purchases,
  round(100 * sum(purchase_sessions) / sessions, 1) AS percent_with_purchase
FROM dm.v_channels
GROUP BY channel
ORDER BY sessions DESC
