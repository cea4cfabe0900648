-- What do people use?
-- Sessions by device and operating system.
SELECT concat(device_type, ', ', os_name) AS device, sum(visits) AS sessions
FROM dm.v_audience
GROUP BY device
ORDER BY sessions DESC
