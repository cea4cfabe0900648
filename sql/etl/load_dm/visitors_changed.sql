-- Visitors with a new or changed session, or who lost one. A full build takes all and needs no list.
TRUNCATE TABLE dm_internal.work_visitor;

INSERT INTO dm_internal.work_visitor
SELECT user_custom_id FROM dm_internal.previous_visitor
WHERE {from_load:UInt64} > 0
UNION DISTINCT
SELECT user_custom_id FROM dds.click
WHERE {from_load:UInt64} > 0 AND user_custom_id != ''
    AND (load_id > {from_load:UInt64} OR click_id IN (SELECT click_id FROM dds.event WHERE load_id > {from_load:UInt64}));
