-- Empties the found messages in stg, after ods: a later run finds what an interrupted one left by the keys, which only stg has,
-- or by the places that ods has emptied.
ALTER TABLE stg.raw UPDATE raw = 'erased', _key = ''
WHERE (_topic, epoch, _partition, _offset) IN (SELECT _topic, epoch, _partition, _offset FROM dm_internal.swept_message)
SETTINGS mutations_sync = 2;
