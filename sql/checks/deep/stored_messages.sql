-- Rows of one table of ods from committed loads, without expired messages, and without those that only ods has,
-- because they have left stg after their time to live.
WITH
    (
        SELECT mapFromArrays(groupArray(place), groupArray(first_offset))
        FROM
        (
            SELECT toString((epoch, _partition)) AS place, min(_offset) AS first_offset
            FROM stg.raw
            WHERE _topic = {topic:String}
            GROUP BY place
        )
    ) AS first_stored
SELECT *
FROM ods.{table:Identifier}
WHERE load_id IN (SELECT load_id FROM ods.load_commit)
    AND NOT has(markers, 'expired')
    AND NOT
    (
        ingested_at < now() - INTERVAL 30 DAY
        AND (epoch, _partition, load_id) IN (SELECT epoch, _partition, load_id FROM ods.load_range WHERE stream = {stream:String})
        AND (NOT mapContains(first_stored, toString((epoch, _partition))) OR _offset < first_stored[toString((epoch, _partition))])
    );
