-- Share of the sessions with a purchase, by known device.
SELECT device_type, avg(has_purchase) AS conversion
FROM dm.session
WHERE device_type != ''
GROUP BY device_type
ORDER BY device_type;
