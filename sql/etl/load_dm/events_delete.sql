-- The former versions of rows that changed.
DELETE FROM dm.event_enriched
WHERE event_id IN
(
    SELECT event_id FROM dds.event
    WHERE (load_id > {from_load:UInt64} AND is_rewritten)
        OR click_id IN (SELECT click_id FROM dds.click WHERE load_id > {from_load:UInt64})
);
