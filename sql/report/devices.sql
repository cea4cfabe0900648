-- One row per device type and operating system: sessions.
SELECT
    if(device_type = '', 'unknown', concat(device_type, ' · ', os_name)) AS label,
    count() AS visits,
    countIf(has_purchase) AS purchases
FROM dm.session
GROUP BY label
ORDER BY visits DESC, label;
