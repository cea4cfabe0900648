-- tier: all
-- One row per day a session began, source, device, country and funnel stage: sessions that reached the stage.
CREATE VIEW IF NOT EXISTS dm.v_funnel AS
SELECT
    session_date,
    referer_medium,
    device_type,
    geo_country,
    arrayJoin(range(1, toUInt16(funnel_stage) + 1)) AS stage_number,
    ['home', 'product', 'cart', 'payment', 'confirmation'][stage_number] AS stage,
    count() AS visits
FROM dm.session
GROUP BY session_date, referer_medium, device_type, geo_country, stage_number;
