SELECT
    count() AS metrics,
    sumIf(value, metric = 'orphan_events') AS orphan_events
FROM dm.dq_summary;
