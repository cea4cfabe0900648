-- tier: all
-- One row: the site of the latest epoch: the stages of its funnel with their pages, where a pattern ends with *, and
-- the time zone of its days and hours. The defaults are those of contract/site.ts.
CREATE VIEW IF NOT EXISTS dm_internal.site AS
WITH
    assumeNotNull((SELECT max(site) FROM stg.site FINAL WHERE epoch = (SELECT max(epoch) FROM stg.epoch))) AS own,
    JSONExtractRaw(own, 'funnel') AS funnel
SELECT
    JSONExtract(
        if(funnel != '', funnel, '[{"stage":"home","pages":["/home"]},{"stage":"product","pages":["/product_a","/product_b"]},{"stage":"cart","pages":["/cart"]},{"stage":"payment","pages":["/payment"]},{"stage":"confirmation","pages":["/confirmation"]}]'),
        'Array(Tuple(stage String, pages Array(String)))') AS stages,
    if(JSONHas(own, 'timezone'), JSONExtractString(own, 'timezone'), 'UTC') AS timezone;
