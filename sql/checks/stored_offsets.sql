-- Highest offset in stg per stream, epoch and partition.
SELECT
    epoch,
    replaceOne(_topic, '_events', '') AS stream,
    mapFromArrays(groupArray(part), groupArray(highest)) AS stored
FROM
(
    SELECT _topic, epoch, _partition AS part, max(_offset) AS highest
    FROM stg.raw
    GROUP BY _topic, epoch, part
    ORDER BY _topic, epoch, part
)
GROUP BY stream, epoch
ORDER BY stream, epoch;
