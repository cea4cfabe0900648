-- Reasons not to load. Without its views ods would skip messages and count them as loaded. dds would never
-- take a load whose number is below an earlier one (stg.lease was emptied; the DDL restores it). Each load
-- first removes an interrupted one, so a load without a commit below the last commit, or named by dds, has
-- lost it: undo.sql could remove the only copy.
SELECT concat('views of ods are missing (', toString(8 - count()), ' of 8): nothing was loaded') AS reason,
    'make ddl' AS hint
FROM system.tables
WHERE database = 'ods' AND engine = 'MaterializedView'
HAVING count() < 8
UNION ALL
SELECT concat('lease ', toString(lease), ' is not above load ', toString(latest), ' of ods: nothing was loaded'),
    'make ddl'
FROM (SELECT (SELECT max(id) FROM stg.lease) AS lease, (SELECT max(load_id) FROM ods.load_range) AS latest)
WHERE lease <= latest
UNION ALL
SELECT
    concat('ods.load_commit has lost the rows of loads ', loads, ': what ods holds of them would be removed'),
    concat(
        'run in SQL: INSERT INTO ods.load_commit SELECT load_id, max(planned_at) FROM ods.load_range WHERE load_id IN (',
        loads,
        ') GROUP BY load_id')
FROM
(
    SELECT arrayStringConcat(arraySort(groupUniqArray(load_id)), ', ') AS loads
    FROM ods.load_range
    WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit)
        AND (load_id < (SELECT max(load_id) FROM ods.load_commit) OR load_id IN (SELECT load_id FROM dds.load_commit))
)
WHERE loads != '';
