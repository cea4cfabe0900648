-- Findings per kind of injected defect and stream, in one epoch. Counts messages below offset {..._ends} of
-- their partition, or all if it is empty. Includes only rows of committed loads of ods, and findings of dds
-- once dds has integrated those rows. Repairs are not the source's.
WITH
    committed AS (SELECT load_id FROM ods.load_commit),
    integrated AS (SELECT load_id FROM committed WHERE load_id <= (SELECT max(load_id) FROM dds.load_commit)),
    repair AS (SELECT _topic, by_partition, by_offset FROM stg.repair WHERE by_epoch = {epoch:UInt64}),
    browser_errors AS
    (
        SELECT markers FROM ods.browser_event_errors
        WHERE epoch = {epoch:UInt64} AND (empty({browser_ends:Map(Int32, Int64)}) OR _offset < {browser_ends:Map(Int32, Int64)}[_partition])
            AND load_id IN committed AND (_topic, _partition, _offset) NOT IN repair
    ),
    location_errors AS
    (
        SELECT markers FROM ods.location_event_errors
        WHERE epoch = {epoch:UInt64} AND (empty({location_ends:Map(Int32, Int64)}) OR _offset < {location_ends:Map(Int32, Int64)}[_partition])
            AND load_id IN committed
    ),
    device_errors AS
    (
        SELECT markers FROM ods.device_event_errors
        WHERE epoch = {epoch:UInt64} AND (empty({device_ends:Map(Int32, Int64)}) OR _offset < {device_ends:Map(Int32, Int64)}[_partition])
            AND load_id IN committed
    ),
    geo_errors AS
    (
        SELECT markers FROM ods.geo_event_errors
        WHERE epoch = {epoch:UInt64} AND (empty({geo_ends:Map(Int32, Int64)}) OR _offset < {geo_ends:Map(Int32, Int64)}[_partition])
            AND load_id IN committed AND (_topic, _partition, _offset) NOT IN repair
    ),
    browser AS
    (
        SELECT event_id, click_id, load_id FROM ods.browser_event
        WHERE epoch = {epoch:UInt64} AND (empty({browser_ends:Map(Int32, Int64)}) OR _offset < {browser_ends:Map(Int32, Int64)}[_partition])
            AND load_id IN committed
    ),
    geo AS
    (
        SELECT click_id, load_id FROM ods.geo_event
        WHERE epoch = {epoch:UInt64} AND (empty({geo_ends:Map(Int32, Int64)}) OR _offset < {geo_ends:Map(Int32, Int64)}[_partition])
    )
SELECT 'malformed' AS kind, 'browser' AS stream, countIf(has(markers, 'malformed_json')) AS found FROM browser_errors
UNION ALL
SELECT 'malformed', 'location', countIf(has(markers, 'malformed_json')) FROM location_errors
UNION ALL
SELECT 'malformed', 'device', countIf(has(markers, 'malformed_json')) FROM device_errors
UNION ALL
SELECT 'malformed', 'geo', countIf(has(markers, 'malformed_json')) FROM geo_errors
UNION ALL
SELECT 'repaired', stream, count()
FROM ods.v_rejected
WHERE epoch = {epoch:UInt64} AND is_repaired AND position(error_reason, 'malformed_json') > 0
GROUP BY stream
UNION ALL
SELECT 'late', 'browser', countIf(has(markers, 'late_event')) FROM browser_errors
UNION ALL
SELECT 'skewed_clock', 'browser', countIf(has(markers, 'skewed_clock')) FROM browser_errors
UNION ALL
SELECT 'duplicate', 'browser', toUInt64(count() - uniqExact(event_id)) FROM browser
UNION ALL
SELECT 'missing_location', 'location', uniqExact(event_id) FROM browser
WHERE load_id IN integrated
    AND event_id IN (SELECT event_id FROM dds.event WHERE has(markers, 'location_not_found'))
UNION ALL
SELECT 'missing_device', 'device', uniqExact(click_id)
FROM
(
    SELECT click_id FROM browser WHERE load_id IN integrated
    UNION ALL
    SELECT click_id FROM geo WHERE load_id IN integrated
)
WHERE click_id IN (SELECT click_id FROM dds.click WHERE has(markers, 'device_missing'))
UNION ALL
SELECT 'bad_geo', 'geo', countIf(hasAny(markers, ['bad_latitude', 'bad_longitude', 'country_missing'])) FROM geo_errors;
