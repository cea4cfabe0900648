-- tier: all
CREATE VIEW IF NOT EXISTS dm_internal.site
    COMMENT 'One row: the latest site that a dataset describes. The defaults are those of contract/site.ts.'
AS
WITH
    -- A reset of the topics begins an epoch without a site, and keeps the rows of the earlier ones.
    assumeNotNull((SELECT argMax(settings, epoch) FROM stg.site FINAL)) AS own,
    JSONExtractRaw(own, 'funnel') AS funnel
SELECT
    JSONExtract(
        if(funnel != '', funnel, '[{"stage":"home","pages":["/home"]},{"stage":"product","pages":["/product_a","/product_b"]},{"stage":"cart","pages":["/cart"]},{"stage":"payment","pages":["/payment"]},{"stage":"confirmation","pages":["/confirmation"]}]'),
        'Array(Tuple(stage String, pages Array(String)))') AS stages,
    if(JSONHas(own, 'timezone'), JSONExtractString(own, 'timezone'), 'UTC') AS timezone,
    if(JSONHas(own, 'session_pause'), JSONExtractInt(own, 'session_pause'), 30) AS session_pause;

ALTER TABLE dm_internal.site
    COMMENT COLUMN stages 'Stages of the funnel in order, each with its pages; a pattern ends with *',
    COMMENT COLUMN timezone 'Time zone of the days and hours of the marts',
    COMMENT COLUMN session_pause 'Pause that ends a session, minutes';
