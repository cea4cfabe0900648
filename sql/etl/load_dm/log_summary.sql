-- After the commit, so that the log has no state of a load that was overtaken.
INSERT INTO dm.dq_summary_log (lease_id, layer, entity, metric, value, computed_at)
SELECT {lease_id:UInt64}, layer, entity, metric, value, computed_at
FROM dm.dq_summary;
