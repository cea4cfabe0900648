-- tier: all
-- One row: the stages of the latest epoch's funnel with their pages; a pattern ends with *. The default is
-- contract/funnel.ts.
CREATE VIEW IF NOT EXISTS dm_internal.funnel AS
WITH assumeNotNull((SELECT max(funnel) FROM stg.funnel FINAL WHERE epoch = (SELECT max(epoch) FROM stg.epoch))) AS own
SELECT JSONExtract(
    if(own != '', own, '[{"stage":"home","pages":["/home"]},{"stage":"product","pages":["/product_a","/product_b"]},{"stage":"cart","pages":["/cart"]},{"stage":"payment","pages":["/payment"]},{"stage":"confirmation","pages":["/confirmation"]}]'),
    'Array(Tuple(stage String, pages Array(String)))') AS stages;
