-- tier: all
CREATE VIEW IF NOT EXISTS dm_internal.v_freshness
    COMMENT 'One row per layer: the newest raw row that its last load could see.'
AS
WITH loaded AS
    (
        SELECT load_id, max(planned_at) AS planned_at
        FROM ods.load_range
        WHERE load_id IN (SELECT load_id FROM ods.load_commit)
        GROUP BY load_id
    )
SELECT 'stg' AS layer, max(ingested_at) AS newest FROM stg.raw
UNION ALL
SELECT 'ods', max(planned_at) FROM loaded
UNION ALL
SELECT 'dds', max(planned_at) FROM loaded WHERE load_id <= (SELECT max(load_id) FROM dds.load_commit)
UNION ALL
SELECT 'dm', max(planned_at) FROM loaded
WHERE load_id <=
(
    SELECT min(load_id)
    FROM (SELECT target, max(load_id) AS load_id FROM dm_internal.load_commit WHERE target != 'truth' GROUP BY target)
);

ALTER TABLE dm_internal.v_freshness
    COMMENT COLUMN layer 'Layer',
    COMMENT COLUMN newest 'Wall-clock time of the newest message that the layer can have';
