-- Partitions of one stream whose first loaded messages have left stg: all below first_offset, or all if it is
-- NULL.
SELECT loaded.epoch AS epoch, loaded._partition AS part, if(stored.is_stored, stored.first_offset, NULL) AS first_offset
FROM
(
    SELECT epoch, _partition, min(offset_from) AS offset_from
    FROM ods.load_range
    WHERE stream = {stream:String} AND load_id IN (SELECT load_id FROM ods.load_commit)
    GROUP BY epoch, _partition
) AS loaded
LEFT JOIN
(
    SELECT epoch, _partition, min(_offset) AS first_offset, true AS is_stored
    FROM stg.raw
    WHERE _topic = {topic:String}
    GROUP BY epoch, _partition
) AS stored
    ON loaded.epoch = stored.epoch AND loaded._partition = stored._partition
WHERE NOT stored.is_stored OR stored.first_offset > loaded.offset_from + 1;
