-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_funnel
    COMMENT 'One row per start date of sessions, site, source, device, country, clock and funnel stage. A session reached a stage if it saw a page of this or a later stage.'
AS
SELECT
    session_date,
    site,
    referer_medium,
    device_type,
    geo_country,
    clock,
    stage_number,
    stages_reached[stage_number] AS stage,
    count() AS sessions,
    countIf(has(stages_seen, stage)) AS seen_sessions
FROM dm.session
ARRAY JOIN arrayEnumerate(stages_reached) AS stage_number
GROUP BY session_date, site, referer_medium, device_type, geo_country, clock, stage_number, stage;

ALTER TABLE dm.v_funnel
    COMMENT COLUMN stage_number 'Position of the stage in the funnel, from 1',
    COMMENT COLUMN stage 'Funnel stage that the session reached',
    COMMENT COLUMN seen_sessions 'Sessions that saw a page of this stage';
