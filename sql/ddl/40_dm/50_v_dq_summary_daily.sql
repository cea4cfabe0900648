-- tier: all
-- Last state of dm.dq_summary on each UTC day of computation, with the change since the previous day that has the metric.
CREATE VIEW IF NOT EXISTS dm.v_dq_summary_daily AS
SELECT
    computed_date,
    layer,
    entity,
    metric,
    value,
    value - lagInFrame(toNullable(toInt64(value))) OVER (PARTITION BY layer, entity, metric ORDER BY computed_date) AS change
FROM
(
    SELECT
        toDate(computed_at, 'UTC') AS computed_date,
        layer,
        entity,
        metric,
        argMax(dq_summary_log.value, dq_summary_log.computed_at) AS value
    FROM dm.dq_summary_log
    GROUP BY computed_date, layer, entity, metric
);
