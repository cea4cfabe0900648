-- Messages of committed loads that are still in stg and have not expired, with the load that took them. typed_message is the SELECT of
-- sql/etl/load_ods. is_redelivered: stored again after its load was planned; ods keeps the first version.
SELECT
    message.* EXCEPT (load_id),
    arrayStringConcat(message.markers, ',') AS error_reason,
    taken.load_id AS load_id,
    message.ingested_at > taken.planned_at AS is_redelivered
FROM typed_message AS message
ASOF INNER JOIN
(
    SELECT epoch, _partition, offset_from, offset_to, load_id, planned_at
    FROM ods.load_range
    WHERE stream = {stream:String} AND load_id IN (SELECT load_id FROM ods.load_commit)
) AS taken
    ON message.epoch = taken.epoch
    AND message._partition = taken._partition
    AND message._offset <= taken.offset_to
WHERE message._offset > taken.offset_from
    AND (message.epoch, message._partition, message._offset) NOT IN
    (SELECT epoch, _partition, _offset FROM ods.{errors:Identifier} WHERE has(markers, 'expired'));
