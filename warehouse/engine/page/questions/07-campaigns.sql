-- Which campaigns bring the most sessions?
-- A campaign is the utm_campaign in a page address, such as that of an advertisement; sessions without one are left out.
-- Chart: sessions by campaign
SELECT utm_campaign AS campaign, sum(sessions) AS sessions, sum(purchases) AS purchases
FROM dm.v_sources
WHERE campaign != ''
GROUP BY campaign
ORDER BY sessions DESC
LIMIT 20
