-- Committed loads of ods up to {to_load}, with the load of dds that integrated each.
SELECT groupArray(load_id) AS loads, groupArray(dds_load) AS dds_loads
FROM
(
    SELECT committed.load_id AS load_id, min(integrated.load_id) AS dds_load
    FROM (SELECT DISTINCT load_id FROM ods.load_commit WHERE load_id <= {to_load:UInt64}) AS committed
    CROSS JOIN (SELECT DISTINCT load_id FROM dds.load_commit) AS integrated
    WHERE integrated.load_id >= committed.load_id
    GROUP BY load_id
    ORDER BY load_id
);
