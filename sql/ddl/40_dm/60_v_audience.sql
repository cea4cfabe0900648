-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_audience
    COMMENT 'One row per start date of sessions, site, country, device, operating system, browser and clock. A visitor may be in several rows.'
AS
SELECT
    session_date,
    site,
    geo_country,
    device_type,
    os_name,
    browser_name,
    clock,
    count() AS sessions,
    countIf(is_registered) AS registered_sessions,
    countIf(has_purchase) AS purchase_sessions,
    uniqExact(user_custom_id) AS visitors
FROM dm.session
GROUP BY session_date, site, geo_country, device_type, os_name, browser_name, clock;

ALTER TABLE dm.v_audience
    COMMENT COLUMN registered_sessions 'Sessions of visitors with an account',
    COMMENT COLUMN purchase_sessions 'Sessions with at least one purchase',
    COMMENT COLUMN visitors 'Different visitors';
