-- Effects that the manifests of the latest epoch publish, and rows of dm.truth, which must go if there are none any more.
SELECT
    (
        SELECT sum(JSONLength(manifest, 'truth', 'effects'))
        FROM stg.manifest FINAL
        WHERE epoch = (SELECT max(epoch) FROM stg.epoch)
    ) + (SELECT count() FROM dm.truth) AS count;
