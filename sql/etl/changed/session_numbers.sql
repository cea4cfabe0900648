-- Sessions whose row in dm.session changes: changed ones, and others whose number among the visitor's changes.
INSERT INTO dm_internal.changed_session
SELECT DISTINCT {to_load:UInt64}, click_id
FROM
(
    SELECT click_id FROM dm_internal.changed_click WHERE load_id > {from_load:UInt64}
    UNION ALL
    SELECT click_id
    FROM
    (
        SELECT click_id, row_number() OVER (PARTITION BY user_custom_id ORDER BY started_at, _offset, click_id) AS session_number
        FROM dds.click
        WHERE isNotNull(started_at) AND user_custom_id IN
            (SELECT user_custom_id FROM dm_internal.changed_visitor WHERE load_id > {from_load:UInt64})
    )
    WHERE (click_id, session_number) NOT IN
    (
        SELECT click_id, assumeNotNull(session_number) FROM dm.session
        WHERE isNotNull(session_number) AND user_custom_id IN
            (SELECT user_custom_id FROM dm_internal.changed_visitor WHERE load_id > {from_load:UInt64})
    )
);

-- Their events can be in other months than that of their start.
INSERT INTO dm_internal.changed_month
SELECT DISTINCT {to_load:UInt64}, toStartOfMonth(event_timestamp)
FROM dds.event
WHERE click_id IN
(
    SELECT click_id FROM dm_internal.changed_session
    WHERE load_id = {to_load:UInt64}
        AND click_id NOT IN (SELECT click_id FROM dm_internal.changed_click WHERE load_id > {from_load:UInt64})
);
