-- One row per dimension of the sessions and part of it: sessions, and those with a purchase.
SELECT
    part.1 AS dimension,
    if(part.2 = '', 'unknown', part.2) AS label,
    count() AS sessions,
    countIf(has_purchase) AS purchase_sessions
FROM dm.session
ARRAY JOIN
    [
        ('channels', channel),
        ('devices', if(device_type = '', '', concat(device_type, ' · ', os_name))),
        ('browsers', browser_name),
        ('countries', geo_country)
    ] AS part
GROUP BY dimension, label
ORDER BY dimension, sessions DESC, label;
