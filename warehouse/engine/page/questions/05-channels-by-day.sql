-- What does each channel earn per day?
-- Revenue of the purchases by the day on which the session began, in one currency per row. Sessions with a skewed clock are left out, because their day is wrong.
-- Chart: revenue by session_date
SELECT session_date, channel, currency, sum(revenue) AS revenue, sum(purchases) AS purchases
FROM dm.session
WHERE clock = 'right' AND session.purchases > 0
GROUP BY session_date, channel, currency
ORDER BY session_date, revenue DESC
