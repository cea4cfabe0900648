-- What the pipeline found of each kind of injected defect in one epoch, per stream. Rows of ods count
-- once their load is committed, and where the finding is in dds, once dds has integrated it.
WITH
    committed AS (SELECT load_id FROM ods.load_commit),
    integrated AS (SELECT load_id FROM committed WHERE load_id <= (SELECT max(load_id) FROM dds.load_commit))
SELECT 'malformed' AS kind, 'browser' AS stream, countIf(has(markers, 'malformed_json')) AS found
FROM ods.browser_event_errors WHERE epoch = {epoch:UInt64} AND load_id IN committed
UNION ALL
SELECT 'malformed', 'location', countIf(has(markers, 'malformed_json'))
FROM ods.location_event_errors WHERE epoch = {epoch:UInt64} AND load_id IN committed
UNION ALL
SELECT 'malformed', 'device', countIf(has(markers, 'malformed_json'))
FROM ods.device_event_errors WHERE epoch = {epoch:UInt64} AND load_id IN committed
UNION ALL
SELECT 'malformed', 'geo', countIf(has(markers, 'malformed_json'))
FROM ods.geo_event_errors WHERE epoch = {epoch:UInt64} AND load_id IN committed
UNION ALL
SELECT 'late', 'browser', countIf(has(markers, 'late_event'))
FROM ods.browser_event_errors WHERE epoch = {epoch:UInt64} AND load_id IN committed
UNION ALL
SELECT 'skewed_clock', 'browser', countIf(has(markers, 'skewed_clock'))
FROM ods.browser_event_errors WHERE epoch = {epoch:UInt64} AND load_id IN committed
UNION ALL
SELECT 'duplicate', 'browser', toUInt64(count() - uniqExact(event_id))
FROM ods.browser_event WHERE epoch = {epoch:UInt64} AND load_id IN committed
UNION ALL
SELECT 'missing_location', 'location', uniqExact(event_id)
FROM ods.browser_event
WHERE epoch = {epoch:UInt64} AND load_id IN integrated
    AND event_id IN (SELECT event_id FROM dds.event WHERE has(markers, 'location_not_found'))
UNION ALL
SELECT 'missing_device', 'device', uniqExact(click_id)
FROM
(
    SELECT click_id FROM ods.browser_event WHERE epoch = {epoch:UInt64} AND load_id IN integrated
    UNION ALL
    SELECT click_id FROM ods.geo_event WHERE epoch = {epoch:UInt64} AND load_id IN integrated
)
WHERE click_id IN (SELECT click_id FROM dds.click WHERE has(markers, 'device_missing'))
UNION ALL
SELECT 'bad_geo', 'geo', countIf(hasAny(markers, ['bad_latitude', 'bad_longitude', 'country_missing']))
FROM ods.geo_event_errors WHERE epoch = {epoch:UInt64} AND load_id IN committed;
