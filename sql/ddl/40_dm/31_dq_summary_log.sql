-- tier: all
-- Every state of dm.dq_summary that load_dm_summary has computed: rows are appended and never change, so the table
-- shows how quality developed. `ddl --rebuild dm` begins it again, because no layer below holds earlier states.
CREATE TABLE IF NOT EXISTS dm.dq_summary_log AS dm.dq_summary
ENGINE = MergeTree
PARTITION BY toStartOfMonth(computed_at)
ORDER BY (layer, entity, metric, computed_at);
