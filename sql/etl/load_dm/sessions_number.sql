-- Numbers the sessions of changed visitors from dds, because dm.session lacks rows after an interruption.
-- Sessions of a clock that is ahead have no number: their time is wrong.
TRUNCATE TABLE dm_internal.work_number;

INSERT INTO dm_internal.work_number
WITH visit AS
(
    SELECT click_id, user_custom_id FROM dds.click
    WHERE user_custom_id != ''
        AND ({from_load:UInt64} = 0 OR user_custom_id IN (SELECT user_custom_id FROM dm_internal.work_visitor))
)
SELECT visit.click_id, row_number() OVER (PARTITION BY visit.user_custom_id ORDER BY started.started_at, visit.click_id)
FROM
(
    SELECT click_id, min(event_timestamp) AS started_at
    FROM dds.event
    WHERE NOT has(markers, 'skewed_clock')
        AND ({from_load:UInt64} = 0 OR click_id IN (SELECT click_id FROM visit))
    GROUP BY click_id
) AS started
INNER JOIN visit ON started.click_id = visit.click_id;

-- Unchanged sessions whose number changes are replaced too.
INSERT INTO dm_internal.work_previous
SELECT click_id FROM dm_internal.work_number
WHERE {from_load:UInt64} > 0
    AND (click_id, session_number) NOT IN
    (
        SELECT click_id, assumeNotNull(session_number) FROM dm.session
        WHERE isNotNull(session_number) AND user_custom_id IN (SELECT user_custom_id FROM dm_internal.work_visitor)
    )
    AND click_id NOT IN (SELECT id FROM dm_internal.work_previous)
    AND click_id NOT IN (SELECT click_id FROM dds.click WHERE load_id > {from_load:UInt64});
