-- One row per device type and operating system: sessions.
SELECT
    if(device_type = '', 'unknown', concat(device_type, ' · ', os_name)) AS label,
    sum(v_audience.sessions) AS sessions,
    sum(v_audience.purchase_sessions) AS purchase_sessions
FROM dm.v_audience
GROUP BY label
ORDER BY sessions DESC, label;
