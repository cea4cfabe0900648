-- Finds the messages that leave ods: those of the sessions in closing, and old ones of no session.
TRUNCATE TABLE dm_internal.swept_message;

INSERT INTO dm_internal.swept_message
WITH closing_id AS (SELECT click_id FROM closing)
SELECT _topic, epoch, _partition, _offset FROM merge('ods', '^(browser|device|geo)_event$') WHERE click_id IN closing_id
UNION ALL
SELECT _topic, epoch, _partition, _offset FROM ods.location_event
WHERE event_id IN (SELECT event_id FROM dds.event WHERE click_id IN closing_id)
    OR (ingested_at < toDateTime({ods_before:UInt32}) AND event_id NOT IN (SELECT event_id FROM ods.browser_event))
UNION ALL
SELECT _topic, epoch, _partition, _offset FROM merge('ods', '_event_errors$')
WHERE NOT is_typed AND ingested_at < toDateTime({ods_before:UInt32}) AND NOT hasAny(markers, ['erased', 'expired']);
