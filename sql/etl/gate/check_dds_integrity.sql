-- Counts events whose session is not in dds.click. The causes are a partial load, a concurrent run or a
-- manual change; load_dds writes a click for every click_id, whatever the data.
-- Both tables are sorted by click_id, so the merge join holds neither in memory.
INSERT INTO dds.integrity_check (load_id, lease_id, events, clicks, orphan_events)
WITH (SELECT (max(load_id), max(lease_id)) FROM dds.load_commit) AS current
SELECT
    current.1 AS load_id,
    current.2 AS lease_id,
    count() AS events,
    (SELECT count() FROM dds.click) AS clicks,
    countIf(NOT click.is_found) AS orphan_events
FROM dds.event AS event
LEFT ANY JOIN (SELECT click_id, true AS is_found FROM dds.click) AS click ON event.click_id = click.click_id
-- A set of the other table's keys would prevent reading in order.
SETTINGS join_algorithm = 'full_sorting_merge', max_rows_in_set_to_optimize_join = 0;
