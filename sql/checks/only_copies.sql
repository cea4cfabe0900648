-- Messages per stream, typed or rejected, that only ods still has: dropping ods loses them. Expired ones are lost. Loads without a
-- commit count too. Bitmaps need little memory for the offsets of a partition.
SELECT replaceOne(kept._topic, '_events', '') AS stream, sum(bitmapAndnotCardinality(kept.offsets, stored.offsets)) AS count
FROM
(
    SELECT _topic, epoch, _partition, groupBitmapState(toUInt64(_offset)) AS offsets
    FROM merge('ods', '_event(_errors)?$')
    WHERE NOT has(markers, 'expired')
    GROUP BY _topic, epoch, _partition
) AS kept
LEFT JOIN
(
    SELECT _topic, epoch, _partition, groupBitmapState(toUInt64(_offset)) AS offsets
    FROM stg.raw
    GROUP BY _topic, epoch, _partition
) AS stored
    ON kept._topic = stored._topic AND kept.epoch = stored.epoch AND kept._partition = stored._partition
GROUP BY stream
HAVING count > 0
ORDER BY stream;
