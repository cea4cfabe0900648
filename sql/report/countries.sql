-- One row per country: sessions.
SELECT
    if(geo_country = '', 'unknown', geo_country) AS label,
    count() AS visits,
    countIf(has_purchase) AS purchases
FROM dm.session
GROUP BY label
ORDER BY visits DESC, label;
