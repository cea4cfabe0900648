-- How many sessions does a first purchase take?
-- Visitors with a purchase, by the number of the session in which they bought first.
-- Chart: buyers by session_of_purchase
SELECT session_of_purchase, count() AS buyers
FROM
(
  SELECT min(session_number) AS session_of_purchase
  FROM dm.session
  WHERE has_purchase AND session_number IS NOT NULL
  GROUP BY user_custom_id
)
GROUP BY session_of_purchase
ORDER BY session_of_purchase
