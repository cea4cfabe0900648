-- Without its views, ods would pass over what it should keep, and call it loaded.
SELECT concat('views of ods are missing (', toString(8 - count()), ' of 8): nothing was loaded') AS reason,
    'make ddl' AS next
FROM system.tables
WHERE database = 'ods' AND engine = 'MaterializedView'
HAVING count() < 8;
