-- The former versions of rows that changed; and whatever a load that was cut off had appended.
DELETE FROM dm.event_enriched
WHERE event_id IN
(
    SELECT event_id FROM dds.event
    WHERE (
            load_id > {from_load:UInt64}
            AND (is_rewritten OR {from_load:UInt64} <
                (SELECT max(load_id) FROM dm.load_commit WHERE target = 'event_enriched begun'))
        )
        OR click_id IN (SELECT click_id FROM dds.click WHERE load_id > {from_load:UInt64})
);
