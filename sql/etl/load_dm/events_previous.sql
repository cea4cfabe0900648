-- Previous versions of changed rows, and rows appended by an interrupted load, which has a lease but no
-- commit.
TRUNCATE TABLE dm_internal.work_previous;

INSERT INTO dm_internal.work_previous
SELECT event_id FROM dm.event_enriched
WHERE {from_load:UInt64} > 0 AND event_id IN
(
    SELECT event_id FROM dds.event
    WHERE load_id > {from_load:UInt64}
        AND (is_rewritten OR
            (SELECT max(id) FROM stg.lease WHERE step = 'load_dm_events' AND id < {lease_id:UInt64}) >
            (SELECT max(lease_id) FROM dm_internal.load_commit WHERE target = 'event_enriched'))
    UNION ALL
    SELECT event_id FROM dds.event
    WHERE load_id <= {from_load:UInt64} AND click_id IN
        (SELECT click_id FROM dds.click WHERE load_id > {from_load:UInt64} AND is_rewritten)
);
