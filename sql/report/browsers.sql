-- One row per browser: sessions.
SELECT
    if(browser_name = '', 'unknown', browser_name) AS label,
    count() AS visits,
    countIf(has_purchase) AS purchases
FROM dm.session
GROUP BY label
ORDER BY visits DESC, label;
