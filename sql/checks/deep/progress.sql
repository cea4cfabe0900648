-- How far each table of the layers is loaded, by its commits; 0 where nothing is. A step whose last lease
-- has no commit was interrupted or is running.
WITH
    (SELECT max(lease_id) FROM dds.load_commit) AS dds_lease,
    (SELECT maxMap(map(toString(target), lease_id)) FROM dm.load_commit) AS dm_leases,
    (SELECT maxMap(map(toString(step), id)) FROM stg.lease) AS begun
SELECT
    (SELECT count() FROM ods.browser_event) AS page_messages,
    (SELECT max(load_id) FROM dds.load_commit) AS dds_load,
    (SELECT max(load_id) FROM dm.load_commit WHERE target = 'event_enriched') AS event_enriched_load,
    (SELECT max(load_id) FROM dm.load_commit WHERE target = 'session') AS session_load,
    (SELECT max(load_id) FROM dm.load_commit WHERE target = 'dq_summary') AS dq_summary_load,
    -- The summary counts the tables as they were: another load makes it old.
    (SELECT max(committed_at) FROM dm.load_commit WHERE target = 'dq_summary') >= greatest(
        (SELECT max(committed_at) FROM dds.load_commit),
        (SELECT max(committed_at) FROM dm.load_commit WHERE target IN ('event_enriched', 'session'))) AS is_summary_current,
    begun['load_dds'] > dds_lease AS is_dds_interrupted,
    begun['load_dm_events'] > dm_leases['event_enriched'] AS is_event_enriched_interrupted,
    begun['load_dm_sessions'] > dm_leases['session'] AS is_session_interrupted,
    begun['load_dm_summary'] > dm_leases['dq_summary'] AS is_dq_summary_interrupted;
