-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_dq_summary_daily
    COMMENT 'Last state of dm.dq_summary on each UTC day of computation, with the change since the previous day that has the metric. A marker with no rows has no row here.'
AS
WITH
    state AS
    (
        SELECT lease_id, toDate(max(computed_at), 'UTC') AS computed_date
        FROM dm.dq_summary_log
        GROUP BY lease_id
    ),
    last_state AS
    (
        SELECT computed_date, max(lease_id) AS lease_id
        FROM state
        GROUP BY computed_date
    )
SELECT
    computed_date,
    layer,
    entity,
    metric,
    value,
    value - lagInFrame(toNullable(toInt64(value))) OVER (PARTITION BY layer, entity, metric ORDER BY computed_date) AS change
FROM dm.dq_summary_log
INNER JOIN last_state ON dq_summary_log.lease_id = last_state.lease_id;

ALTER TABLE dm.v_dq_summary_daily
    COMMENT COLUMN computed_date 'UTC day on which the batch process computed the value',
    COMMENT COLUMN change 'Difference from the previous day that has the metric; NULL for the first';
