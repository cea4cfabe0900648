SELECT
    (SELECT count() FROM ods.browser_event WHERE load_id = {load_id:UInt64})
    + (SELECT count() FROM ods.location_event WHERE load_id = {load_id:UInt64})
    + (SELECT count() FROM ods.device_event WHERE load_id = {load_id:UInt64})
    + (SELECT count() FROM ods.geo_event WHERE load_id = {load_id:UInt64}) AS typed,
    (SELECT countIf(NOT is_typed) FROM ods.browser_event_errors WHERE load_id = {load_id:UInt64})
    + (SELECT countIf(NOT is_typed) FROM ods.location_event_errors WHERE load_id = {load_id:UInt64})
    + (SELECT countIf(NOT is_typed) FROM ods.device_event_errors WHERE load_id = {load_id:UInt64})
    + (SELECT countIf(NOT is_typed) FROM ods.geo_event_errors WHERE load_id = {load_id:UInt64}) AS rejected;
