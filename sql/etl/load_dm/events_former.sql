-- The former versions of rows that changed; and whatever a load that was cut off had appended.
TRUNCATE TABLE dm.work_former;

INSERT INTO dm.work_former
SELECT event_id FROM dm.event_enriched
WHERE {from_load:UInt64} > 0 AND event_id IN
(
    SELECT event_id FROM dds.event
    WHERE load_id > {from_load:UInt64}
        AND (is_rewritten OR {from_load:UInt64} <
            (SELECT max(load_id) FROM dm.load_commit WHERE target = 'event_enriched begun'))
    UNION ALL
    SELECT event_id FROM dds.event
    WHERE load_id <= {from_load:UInt64} AND click_id IN
        (SELECT click_id FROM dds.click WHERE load_id > {from_load:UInt64} AND is_rewritten)
);
