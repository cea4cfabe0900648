-- Last committed load of each step, of its tables the lowest; 0 without a commit. is_interrupted: the last lease of the
-- step has no commit, because the step was interrupted or is running. steps: the steps of dm with their tables. is_dds_checked: the gate has checked the last
-- commit and the present dds, and found no orphan. load_seconds: time since the last load began. mark: changes
-- with every load that changes a layer.
WITH
    {steps:Map(String, Array(String))} AS steps,
    (SELECT (max(load_id), max(lease_id)) FROM dds.load_commit) AS dds,
    (SELECT maxMap(map(toString(target), load_id)) FROM dm_internal.load_commit) AS dm_loads,
    (SELECT maxMap(map(toString(target), lease_id)) FROM dm_internal.load_commit) AS dm_leases,
    (SELECT maxMap(map(toString(step), id)) FROM stg.lease) AS begun
SELECT
    (SELECT max(load_id) FROM ods.load_commit) AS ods_load,
    dds.1 AS dds_load,
    begun['load_dds'] > dds.2 AS is_dds_interrupted,
    arrayMap(
        (step, tables) -> (
            step,
            arrayMin(arrayMap(name -> dm_loads[name], tables)),
            begun[step] > arrayMin(arrayMap(name -> dm_leases[name], tables))),
        mapKeys(steps), mapValues(steps))::Array(Tuple(step String, load UInt64, is_interrupted Bool)) AS dm_steps,
    (SELECT argMax((lease_id, orphan_events, events, clicks), checked_at) FROM dds.integrity_check)
        = (dds.2, 0, (SELECT count() FROM dds.event), (SELECT count() FROM dds.click)) AS is_dds_checked,
    -- A later load makes the summary obsolete.
    (SELECT max(committed_at) FROM dm_internal.load_commit WHERE target = 'dq_summary') >= greatest(
        (SELECT max(committed_at) FROM dds.load_commit),
        (SELECT max(committed_at) FROM dm_internal.load_commit
            WHERE has(arrayFlatten(mapValues(steps)), target))) AS is_summary_current,
    (SELECT max(computed_at) FROM dm.dq_summary) >= greatest(
        (SELECT max(started_at) FROM stg.epoch),
        (SELECT max(stored_at) FROM stg.manifest)) AS is_period_settled,
    dateDiff('second', (SELECT min(committed_at) FROM ods.load_commit WHERE load_id > dds_load), now64(6, 'UTC')) AS dds_seconds,
    dateDiff('second', (SELECT min(committed_at) FROM dds.load_commit
        WHERE load_id > arrayMin(arrayMap(name -> dm_loads[name], arrayFlatten(mapValues(steps))))), now64(6, 'UTC')) AS dm_seconds,
    dateDiff('second', (SELECT max(acquired_at) FROM stg.lease WHERE step = 'load_ods'), now64(6, 'UTC')) AS load_seconds,
    concat(
        (SELECT toString((count(), max(committed_at))) FROM ods.load_commit),
        (SELECT toString((count(), max(committed_at))) FROM dds.load_commit),
        (SELECT toString((count(), max(committed_at))) FROM dm_internal.load_commit)
    ) AS mark;
