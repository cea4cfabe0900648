-- Finds the messages of this load whose session, or whose event, has left ods.
TRUNCATE TABLE dm_internal.swept_message;

INSERT INTO dm_internal.swept_message
WITH
    expired AS (SELECT click_id FROM dds.expired_click),
    new_event AS
    (
        SELECT event_id FROM ods.browser_event WHERE load_id = {lease_id:UInt64}
        UNION ALL
        SELECT event_id FROM ods.location_event WHERE load_id = {lease_id:UInt64}
    ),
    expired_event AS (SELECT event_id FROM dds.event WHERE event_id IN new_event AND click_id IN expired)
SELECT _topic, epoch, _partition, _offset FROM ods.browser_event
WHERE load_id = {lease_id:UInt64} AND (click_id IN expired OR event_id IN expired_event)
UNION ALL
SELECT _topic, epoch, _partition, _offset FROM ods.location_event WHERE load_id = {lease_id:UInt64} AND event_id IN expired_event
UNION ALL
SELECT _topic, epoch, _partition, _offset FROM merge('ods', '^(device|geo)_event$')
WHERE load_id = {lease_id:UInt64} AND click_id IN expired;
