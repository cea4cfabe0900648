-- Empties in stg what has left ods, because an erasure finds the messages of a visitor by ods and dds. Late messages of
-- this load follow in the next expiry, because an interrupted load is typed again.
TRUNCATE TABLE dm_internal.swept_message;

INSERT INTO dm_internal.swept_message
SELECT _topic, epoch, _partition, _offset
FROM merge('ods', '_event_errors$')
WHERE has(markers, 'expired') AND load_id IN (SELECT load_id FROM ods.load_commit)
    AND (_topic, epoch, _partition, _offset) IN (SELECT _topic, epoch, _partition, _offset FROM stg.raw WHERE raw != 'expired');

ALTER TABLE stg.raw UPDATE raw = 'expired', _key = ''
WHERE (_topic, epoch, _partition, _offset) IN (SELECT _topic, epoch, _partition, _offset FROM dm_internal.swept_message)
SETTINGS mutations_sync = 2;
