-- What is an order worth?
-- Purchases, their mean value, refunds, and revenue less refunds, by day of the session and currency.
-- Chart: mean_order by session_date
SELECT session_date, currency, sum(purchases) AS orders, round(sum(revenue) / orders, 2) AS mean_order,
  sum(refunds) AS paid_back, sum(net_revenue) AS net
FROM dm.session
WHERE clock = 'right'
GROUP BY session_date, currency
HAVING orders > 0
ORDER BY session_date, currency
