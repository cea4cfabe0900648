-- Loads of dds that wrote the rows of an interrupted load again.
SELECT load_id
FROM
(
    SELECT
        load_id,
        lease_id,
        lagInFrame(lease_id) OVER
        (
            ORDER BY lease_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        ) AS previous_lease
    FROM dds.load_commit
) AS integrated
CROSS JOIN
(
    SELECT DISTINCT id
    FROM stg.lease
    WHERE step = 'load_dds' AND id NOT IN (SELECT lease_id FROM dds.load_commit)
) AS interrupted
WHERE interrupted.id > integrated.previous_lease AND interrupted.id < integrated.lease_id;
