-- From which countries do visitors come?
-- Sessions by country code, and how many of them belong to visitors with an account.
-- Chart: sessions by country
SELECT if(geo_country = '', 'unknown', geo_country) AS country, sum(sessions) AS sessions,
  sum(registered_sessions) AS with_account
FROM dm.v_audience
GROUP BY country
ORDER BY sessions DESC
LIMIT 20
