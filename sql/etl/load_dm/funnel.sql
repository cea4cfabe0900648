-- One row: the funnel of the latest epoch, as JSON. The default is contract/funnel.ts.
WITH (SELECT max(funnel) FROM stg.funnel FINAL WHERE epoch = (SELECT max(epoch) FROM stg.epoch)) AS own
SELECT if(own != '', own, '[{"stage":"home","pages":["/home"]},{"stage":"product","pages":["/product_a","/product_b"]},{"stage":"cart","pages":["/cart"]},{"stage":"payment","pages":["/payment"]},{"stage":"confirmation","pages":["/confirmation"]}]') AS funnel;
