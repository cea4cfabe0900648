-- One row per layer, entity and metric of the data-quality summary.
SELECT layer, entity, metric, value
FROM dm.dq_summary
ORDER BY layer = 'stg' DESC, layer = 'ods' DESC, layer = 'dds' DESC, entity, metric;
