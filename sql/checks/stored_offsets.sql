-- Highest offset in stg of one stream, per epoch and partition. {raw}: table of the stream in stg.
SELECT
    epoch,
    {stream:String} AS stream,
    mapFromArrays(groupArray(part), groupArray(highest)) AS stored
FROM
(
    SELECT epoch, _partition AS part, max(_offset) AS highest
    FROM stg.{raw:Identifier}
    GROUP BY epoch, part
    ORDER BY epoch, part
)
GROUP BY epoch
ORDER BY epoch;
