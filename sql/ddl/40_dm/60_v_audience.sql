-- tier: all
-- One row per day a session began, country, device and browser: sessions, registered sessions, visitors.
CREATE VIEW IF NOT EXISTS dm.v_audience AS
SELECT
    session_date,
    geo_country,
    device_type,
    os_name,
    browser_name,
    count() AS visits,
    countIf(is_registered) AS registered_visits,
    uniqExactIf(user_custom_id, user_custom_id != '') AS visitors
FROM dm.session
GROUP BY session_date, geo_country, device_type, os_name, browser_name;
