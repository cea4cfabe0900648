-- Empties the messages in dm_internal.erased_message: each keeps its place, so that no count changes, and is rejected as
-- erased. stg changes first: a later run finds what an interrupted one left, in ods or in stg.
ALTER TABLE stg.raw UPDATE raw = 'erased', _key = ''
WHERE (_topic, epoch, _partition, _offset) IN (SELECT _topic, epoch, _partition, _offset FROM dm_internal.erased_message)
SETTINGS mutations_sync = 2;

CREATE OR REPLACE TABLE draft_browser_event CLONE AS ods.browser_event;
CREATE OR REPLACE TABLE draft_browser_event_errors CLONE AS ods.browser_event_errors;
ALTER TABLE draft_browser_event APPLY DELETED MASK SETTINGS mutations_sync = 2;
ALTER TABLE draft_browser_event_errors APPLY DELETED MASK SETTINGS mutations_sync = 2;
ALTER TABLE draft_browser_event DELETE WHERE (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM dm_internal.erased_message WHERE _topic = 'browser_events') SETTINGS mutations_sync = 2;
ALTER TABLE draft_browser_event_errors DELETE WHERE (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM dm_internal.erased_message WHERE _topic = 'browser_events') SETTINGS mutations_sync = 2;
INSERT INTO draft_browser_event_errors (markers, is_typed, raw, epoch, _topic, _partition, _offset, _key, _timestamp, emitted_at, ingested_at, load_id)
SELECT ['erased'], false, 'erased', epoch, _topic, _partition, _offset, '', _timestamp, emitted_at, ingested_at, load_id
FROM merge('ods', '^browser_event(_errors)?$')
WHERE (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM dm_internal.erased_message WHERE _topic = 'browser_events')
LIMIT 1 BY epoch, _partition, _offset;
-- The clone of the clone leaves out the parts from before.
CREATE OR REPLACE TABLE browser_event CLONE AS draft_browser_event;
CREATE OR REPLACE TABLE browser_event_errors CLONE AS draft_browser_event_errors;

CREATE OR REPLACE TABLE draft_location_event CLONE AS ods.location_event;
CREATE OR REPLACE TABLE draft_location_event_errors CLONE AS ods.location_event_errors;
ALTER TABLE draft_location_event APPLY DELETED MASK SETTINGS mutations_sync = 2;
ALTER TABLE draft_location_event_errors APPLY DELETED MASK SETTINGS mutations_sync = 2;
ALTER TABLE draft_location_event DELETE WHERE (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM dm_internal.erased_message WHERE _topic = 'location_events') SETTINGS mutations_sync = 2;
ALTER TABLE draft_location_event_errors DELETE WHERE (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM dm_internal.erased_message WHERE _topic = 'location_events') SETTINGS mutations_sync = 2;
INSERT INTO draft_location_event_errors (markers, is_typed, raw, epoch, _topic, _partition, _offset, _key, _timestamp, emitted_at, ingested_at, load_id)
SELECT ['erased'], false, 'erased', epoch, _topic, _partition, _offset, '', _timestamp, emitted_at, ingested_at, load_id
FROM merge('ods', '^location_event(_errors)?$')
WHERE (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM dm_internal.erased_message WHERE _topic = 'location_events')
LIMIT 1 BY epoch, _partition, _offset;
-- The clone of the clone leaves out the parts from before.
CREATE OR REPLACE TABLE location_event CLONE AS draft_location_event;
CREATE OR REPLACE TABLE location_event_errors CLONE AS draft_location_event_errors;

CREATE OR REPLACE TABLE draft_device_event CLONE AS ods.device_event;
CREATE OR REPLACE TABLE draft_device_event_errors CLONE AS ods.device_event_errors;
ALTER TABLE draft_device_event APPLY DELETED MASK SETTINGS mutations_sync = 2;
ALTER TABLE draft_device_event_errors APPLY DELETED MASK SETTINGS mutations_sync = 2;
ALTER TABLE draft_device_event DELETE WHERE (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM dm_internal.erased_message WHERE _topic = 'device_events') SETTINGS mutations_sync = 2;
ALTER TABLE draft_device_event_errors DELETE WHERE (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM dm_internal.erased_message WHERE _topic = 'device_events') SETTINGS mutations_sync = 2;
INSERT INTO draft_device_event_errors (markers, is_typed, raw, epoch, _topic, _partition, _offset, _key, _timestamp, emitted_at, ingested_at, load_id)
SELECT ['erased'], false, 'erased', epoch, _topic, _partition, _offset, '', _timestamp, emitted_at, ingested_at, load_id
FROM merge('ods', '^device_event(_errors)?$')
WHERE (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM dm_internal.erased_message WHERE _topic = 'device_events')
LIMIT 1 BY epoch, _partition, _offset;
-- The clone of the clone leaves out the parts from before.
CREATE OR REPLACE TABLE device_event CLONE AS draft_device_event;
CREATE OR REPLACE TABLE device_event_errors CLONE AS draft_device_event_errors;

CREATE OR REPLACE TABLE draft_geo_event CLONE AS ods.geo_event;
CREATE OR REPLACE TABLE draft_geo_event_errors CLONE AS ods.geo_event_errors;
ALTER TABLE draft_geo_event APPLY DELETED MASK SETTINGS mutations_sync = 2;
ALTER TABLE draft_geo_event_errors APPLY DELETED MASK SETTINGS mutations_sync = 2;
ALTER TABLE draft_geo_event DELETE WHERE (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM dm_internal.erased_message WHERE _topic = 'geo_events') SETTINGS mutations_sync = 2;
ALTER TABLE draft_geo_event_errors DELETE WHERE (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM dm_internal.erased_message WHERE _topic = 'geo_events') SETTINGS mutations_sync = 2;
INSERT INTO draft_geo_event_errors (markers, is_typed, raw, epoch, _topic, _partition, _offset, _key, _timestamp, emitted_at, ingested_at, load_id)
SELECT ['erased'], false, 'erased', epoch, _topic, _partition, _offset, '', _timestamp, emitted_at, ingested_at, load_id
FROM merge('ods', '^geo_event(_errors)?$')
WHERE (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM dm_internal.erased_message WHERE _topic = 'geo_events')
LIMIT 1 BY epoch, _partition, _offset;
-- The clone of the clone leaves out the parts from before.
CREATE OR REPLACE TABLE geo_event CLONE AS draft_geo_event;
CREATE OR REPLACE TABLE geo_event_errors CLONE AS draft_geo_event_errors;

EXCHANGE TABLES ods.browser_event AND browser_event,
    ods.browser_event_errors AND browser_event_errors,
    ods.location_event AND location_event,
    ods.location_event_errors AND location_event_errors,
    ods.device_event AND device_event,
    ods.device_event_errors AND device_event_errors,
    ods.geo_event AND geo_event,
    ods.geo_event_errors AND geo_event_errors;

DROP TABLE draft_browser_event SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE browser_event SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE draft_browser_event_errors SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE browser_event_errors SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE draft_location_event SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE location_event SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE draft_location_event_errors SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE location_event_errors SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE draft_device_event SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE device_event SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE draft_device_event_errors SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE device_event_errors SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE draft_geo_event SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE geo_event SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE draft_geo_event_errors SYNC SETTINGS max_table_size_to_drop = 0;
DROP TABLE geo_event_errors SYNC SETTINGS max_table_size_to_drop = 0;
