SELECT sum(is_typed) AS typed, sum(NOT is_typed) AS rejected
FROM
(
    SELECT true AS is_typed FROM ods.browser_event WHERE load_id = {lease_id:UInt64}
    UNION ALL
    SELECT true FROM ods.location_event WHERE load_id = {lease_id:UInt64}
    UNION ALL
    SELECT true FROM ods.device_event WHERE load_id = {lease_id:UInt64}
    UNION ALL
    SELECT true FROM ods.geo_event WHERE load_id = {lease_id:UInt64}
    UNION ALL
    SELECT false FROM ods.browser_event_errors WHERE load_id = {lease_id:UInt64} AND NOT is_typed
    UNION ALL
    SELECT false FROM ods.location_event_errors WHERE load_id = {lease_id:UInt64} AND NOT is_typed
    UNION ALL
    SELECT false FROM ods.device_event_errors WHERE load_id = {lease_id:UInt64} AND NOT is_typed
    UNION ALL
    SELECT false FROM ods.geo_event_errors WHERE load_id = {lease_id:UInt64} AND NOT is_typed
);
