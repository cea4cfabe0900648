-- Reasons not to load.
-- Without the views of ods, the load would skip messages and count them as loaded.
SELECT concat('views of ods are missing (', toString(8 - count()), ' of 8): nothing was loaded') AS reason,
    'run `make ddl`' AS hint
FROM system.tables
WHERE database = 'ods' AND engine = 'MaterializedView'
HAVING count() < 8
UNION ALL
-- dds never integrates a load below an earlier number. Numbers repeat if stg.lease was emptied, which `ddl`
-- corrects.
SELECT concat('lease ', toString(lease), ' is not above load ', toString(latest), ' of ods: nothing was loaded'),
    'run `make ddl`'
FROM (SELECT (SELECT max(id) FROM stg.lease) AS lease, (SELECT max(load_id) FROM ods.load_range) AS latest)
WHERE lease <= latest
UNION ALL
-- A load below the last commit, or in dds, had a commit: undo.sql would remove its rows, maybe the only copy.
SELECT
    concat('ods.load_commit has no rows for loads ', loads, '; load_ods would delete their rows in ods'),
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
