-- Rows without a commit, of any load. It reads every load_id of ods: worth it beside a full refresh only.
SELECT sum(rows) AS count
FROM
(
    SELECT count() AS rows FROM ods.browser_event
    WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit)
    UNION ALL
    SELECT count() AS rows FROM ods.browser_event_errors
    WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit)
    UNION ALL
    SELECT count() AS rows FROM ods.location_event
    WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit)
    UNION ALL
    SELECT count() AS rows FROM ods.location_event_errors
    WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit)
    UNION ALL
    SELECT count() AS rows FROM ods.device_event
    WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit)
    UNION ALL
    SELECT count() AS rows FROM ods.device_event_errors
    WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit)
    UNION ALL
    SELECT count() AS rows FROM ods.geo_event
    WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit)
    UNION ALL
    SELECT count() AS rows FROM ods.geo_event_errors
    WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit)
);
