-- Rows of any load without a commit. Use it only with a full refresh, because it reads every load_id of ods.
SELECT count() AS count
FROM
(
    SELECT load_id FROM ods.browser_event
    UNION ALL
    SELECT load_id FROM ods.browser_event_errors
    UNION ALL
    SELECT load_id FROM ods.location_event
    UNION ALL
    SELECT load_id FROM ods.location_event_errors
    UNION ALL
    SELECT load_id FROM ods.device_event
    UNION ALL
    SELECT load_id FROM ods.device_event_errors
    UNION ALL
    SELECT load_id FROM ods.geo_event
    UNION ALL
    SELECT load_id FROM ods.geo_event_errors
)
WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit);
