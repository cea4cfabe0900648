-- One row per source: sessions and those with a purchase. An empty medium means that the first page is
-- unknown.
SELECT
    multiIf(utm_source != '', concat(utm_source, ' · ', utm_medium), referer_medium != '', referer_medium, 'unknown') AS label,
    count() AS visits,
    countIf(has_purchase) AS purchases
FROM dm.session
GROUP BY label
ORDER BY visits DESC, label;
