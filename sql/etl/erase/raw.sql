-- Empties the found messages in stg. It changes before ods: a later run finds what an interrupted one left, in either.
ALTER TABLE stg.raw UPDATE raw = 'erased', _key = ''
WHERE (_topic, epoch, _partition, _offset) IN (SELECT _topic, epoch, _partition, _offset FROM dm_internal.swept_message)
SETTINGS mutations_sync = 2;
