-- Where the batch process is: whether dds or dm lacks what the layer before it has, and a mark that
-- changes with every load.
SELECT
    (SELECT max(load_id) FROM ods.load_commit) > (SELECT max(load_id) FROM dds.load_commit)
    OR (SELECT max(load_id) FROM dds.load_commit) >
    least(
        (SELECT max(load_id) FROM dm.load_commit WHERE target = 'event_enriched'),
        (SELECT max(load_id) FROM dm.load_commit WHERE target = 'session'),
        (SELECT max(load_id) FROM dm.load_commit WHERE target = 'dq_summary')
    ) AS is_behind,
    concat(
        (SELECT toString((count(), max(committed_at))) FROM ods.load_commit),
        (SELECT toString((count(), max(committed_at))) FROM dds.load_commit),
        (SELECT toString((count(), max(committed_at))) FROM dm.load_commit)
    ) AS mark;
