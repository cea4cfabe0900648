-- Rules between the commit tables: expected and found rows of each rule, and the layer that breaks it.
WITH
    committed AS (SELECT DISTINCT load_id FROM ods.load_commit),
    integrated AS (SELECT DISTINCT load_id FROM dds.load_commit WHERE load_id > 0),
    shown AS (SELECT DISTINCT load_id FROM dm_internal.load_commit WHERE load_id > 0),
    ends AS (SELECT toString(stream), epoch, _partition, offset_to FROM ods.load_range),
    taken AS
    (
        SELECT (replaceRegexpOne(_table, '_event(_errors)?$', '') AS stream, epoch, _partition, _offset)
        FROM merge('ods', '_event(_errors)?$')
        WHERE (stream, epoch, _partition, _offset) IN ends
    )
SELECT layer, table, expected, found
FROM
(
    -- Each committed load has ranges.
    SELECT 1 AS position, 'ods' AS layer, 'load_commit' AS table,
        (SELECT count() FROM committed WHERE load_id IN (SELECT load_id FROM ods.load_range)) AS expected,
        (SELECT count() FROM committed) AS found
    UNION ALL
    -- Each load in dds is committed in ods. A load with ranges but no commit has lost its commit; one
    -- without both never existed.
    SELECT 2, 'ods', 'load_commit',
        (SELECT count() FROM integrated WHERE load_id IN (SELECT load_id FROM ods.load_range)),
        (SELECT count() FROM integrated WHERE load_id IN (SELECT load_id FROM ods.load_range) AND load_id IN committed)
    UNION ALL
    SELECT 3, 'dds', 'load_commit',
        (SELECT count() FROM integrated WHERE load_id IN committed OR load_id IN (SELECT load_id FROM ods.load_range)),
        (SELECT count() FROM integrated)
    UNION ALL
    -- Each load in dm is committed in dds.
    SELECT 4, 'dds', 'load_commit',
        (SELECT count() FROM shown WHERE load_id IN committed),
        (SELECT count() FROM shown WHERE load_id IN committed AND load_id IN integrated)
    UNION ALL
    SELECT 5, 'dm', 'load_commit',
        (SELECT count() FROM shown WHERE load_id IN committed OR load_id IN integrated),
        (SELECT count() FROM shown)
    UNION ALL
    -- The ranges of a partition have no gap and no overlap after the first offset.
    SELECT 6, 'ods', 'load_range', count(), countIf(offset_from = previous_offset)
    FROM
    (
        SELECT
            offset_from,
            lagInFrame(offset_to, 1, toInt64(-1)) OVER
            (
                PARTITION BY stream, epoch, _partition ORDER BY offset_to
                ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
            ) AS previous_offset
        FROM ods.load_range
        WHERE load_id IN committed
    )
    UNION ALL
    -- Each range ends with a message in ods: a later end would skip future messages.
    SELECT 7, 'ods', 'load_range', count(), countIf(last IN taken)
    FROM
    (
        SELECT DISTINCT (toString(stream), epoch, _partition, offset_to) AS last
        FROM ods.load_range
        WHERE load_id IN committed
    )
)
WHERE expected != found
ORDER BY position;
