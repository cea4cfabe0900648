-- Conversion of the sources with enough sessions, the best one first.
SELECT
    if(utm_source != '', utm_source, referer_medium) AS source,
    count() AS sessions,
    avg(has_purchase) AS conversion
FROM dm.session
GROUP BY source
HAVING sessions >= 200
ORDER BY conversion DESC;
