-- Rows of any load without a commit. Reads every load_id of ods, so use it only beside a full refresh.
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
