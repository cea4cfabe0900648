-- One row per finished load from {load_id} on, with its commit times in ods, dds and dm.
SELECT 'ods' AS layer, load_id, toString(committed_at) AS committed_at
FROM ods.load_commit WHERE load_id >= {load_id:UInt64}
UNION ALL
SELECT 'dds', load_id, toString(committed_at)
FROM dds.load_commit WHERE load_id >= {load_id:UInt64}
UNION ALL
SELECT 'dm', load_id, toString(committed_at)
FROM dm_internal.load_commit WHERE load_id >= {load_id:UInt64} AND target = 'session';
