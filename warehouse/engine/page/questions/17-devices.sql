-- Which devices do visitors use?
-- Sessions by kind of device and operating system; a session whose device message is missing is unknown.
-- Chart: sessions by device
SELECT if(device_type = '', 'unknown', concat(device_type, ', ', os_name)) AS device, sum(sessions) AS sessions
FROM dm.v_audience
GROUP BY device
ORDER BY sessions DESC
