-- Planned offsets of each stream, as the parameters of the SELECTs that type them.
SELECT
    toString(groupArrayIf((epoch, _partition, offset_from, offset_to), stream = 'browser')) AS browser_ranges,
    toString(groupArrayIf((epoch, _partition, offset_from, offset_to), stream = 'location')) AS location_ranges,
    toString(groupArrayIf((epoch, _partition, offset_from, offset_to), stream = 'device')) AS device_ranges,
    toString(groupArrayIf((epoch, _partition, offset_from, offset_to), stream = 'geo')) AS geo_ranges
FROM ods.load_range
WHERE load_id = {lease_id:UInt64};
