-- Messages of one stream, typed or rejected, that only ods still has: dropping ods loses them. Loads without
-- a commit count too. Bitmaps need little memory for the offsets of a partition. Tables are parameters: {raw}
-- of stg, {typed} and {errors} of ods.
SELECT {stream:String} AS stream, sum(bitmapAndnotCardinality(kept.offsets, stored.offsets)) AS count
FROM
(
    SELECT epoch, _partition, groupBitmapState(toUInt64(_offset)) AS offsets
    FROM
    (
        SELECT epoch, _partition, _offset FROM ods.{typed:Identifier}
        UNION ALL
        SELECT epoch, _partition, _offset FROM ods.{errors:Identifier}
    )
    GROUP BY epoch, _partition
) AS kept
LEFT JOIN
(
    SELECT epoch, _partition, groupBitmapState(toUInt64(_offset)) AS offsets
    FROM stg.{raw:Identifier}
    GROUP BY epoch, _partition
) AS stored
    ON kept.epoch = stored.epoch AND kept._partition = stored._partition;
