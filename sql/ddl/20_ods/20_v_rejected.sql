-- tier: all
CREATE VIEW IF NOT EXISTS ods.v_rejected
    COMMENT 'One row per rejected message, without erased and expired ones. `rejected replay` takes a SELECT of rows of this view with a column `repaired`, the new payload.'
AS
SELECT
    replaceOne(_topic, '_events', '') AS stream,
    error_reason,
    (_topic, epoch, _partition, _offset) IN (SELECT _topic, epoch, _partition, _offset FROM stg.repair) AS is_repaired,
    raw,
    _key,
    epoch,
    _topic,
    _partition,
    _offset,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM merge('ods', '_event_errors$')
WHERE NOT is_typed AND NOT hasAny(markers, ['erased', 'expired']) AND load_id IN (SELECT load_id FROM ods.load_commit);

ALTER TABLE ods.v_rejected
    COMMENT COLUMN is_repaired 'Whether `rejected replay` has sent the message again';
