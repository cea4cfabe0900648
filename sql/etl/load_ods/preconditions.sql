-- Without its views, ods would pass over what it should keep, and call it loaded. With a number below that of
-- an earlier load, dds would never take this one: stg.lease was emptied. The DDL records the latest load there.
SELECT concat('views of ods are missing (', toString(8 - count()), ' of 8): nothing was loaded') AS reason,
    'make ddl' AS next
FROM system.tables
WHERE database = 'ods' AND engine = 'MaterializedView'
HAVING count() < 8
UNION ALL
SELECT concat('lease ', toString(lease), ' is not above load ', toString(latest), ' of ods: nothing was loaded'),
    'make ddl'
FROM (SELECT (SELECT max(id) FROM stg.lease) AS lease, (SELECT max(load_id) FROM ods.load_range) AS latest)
WHERE lease <= latest;
