-- Which channel gets the credit for a purchase?
-- Purchases by three models: all to the channel of the visitor's first session, all to that of the session with the purchase, or equal parts to each session until then.
-- Chart: first_touch by channel
SELECT channel, sum(first_touch_purchases) AS first_touch, sum(last_touch_purchases) AS last_touch,
  round(sum(linear_purchases), 1) AS linear
FROM dm.v_attribution
GROUP BY channel
ORDER BY first_touch DESC
