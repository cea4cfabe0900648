-- One row per country: sessions.
SELECT
    if(geo_country = '', 'unknown', geo_country) AS label,
    sum(v_audience.sessions) AS sessions,
    sum(v_audience.purchase_sessions) AS purchase_sessions
FROM dm.v_audience
GROUP BY label
ORDER BY sessions DESC, label;
