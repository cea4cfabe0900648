-- Where do visitors live?
-- Sessions by country; registered ones belong to visitors with an account.
SELECT geo_country AS country, sum(visits) AS sessions, sum(registered_visits) AS registered
FROM dm.v_audience
GROUP BY country
ORDER BY sessions DESC
LIMIT 20
