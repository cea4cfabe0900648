-- Earnings of all purchases of the visitors that a campaign brought, minus what these visitors cost.
WITH visit AS
(
    SELECT
        user_custom_id,
        purchases,
        first_value(utm_campaign) OVER (PARTITION BY user_custom_id ORDER BY session_number) AS campaign
    FROM dm.session
    WHERE clock = 'right' AND user_custom_id IS NOT NULL
)
SELECT campaign, 10 * sum(purchases) - 4 * uniqExact(user_custom_id) AS profit
FROM visit
WHERE campaign IN ('product_a_launch', 'product_b_season')
GROUP BY campaign
ORDER BY campaign;
