-- Which campaigns brought most sessions?
-- Only sessions that came with a campaign in their address.
SELECT utm_campaign AS campaign, sum(visits) AS sessions, sum(purchases) AS purchases
FROM dm.v_sources
WHERE campaign != ''
GROUP BY campaign
ORDER BY sessions DESC
LIMIT 20
