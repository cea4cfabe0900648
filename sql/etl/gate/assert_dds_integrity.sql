-- A row is a reason to stop: what it says goes to the operator.
WITH
    (SELECT max(load_id) FROM dds.load_commit) AS current_load,
    (SELECT argMax((load_id, orphan_events, events, clicks), checked_at) FROM dds.integrity_check) AS latest,
    (SELECT count() FROM dds.event) AS events,
    (SELECT count() FROM dds.click) AS clicks,
    latest.1 = current_load AND latest.3 = events AND latest.4 = clicks AS is_current
SELECT if(
    is_current,
    concat('orphan_events = ', toString(latest.2), ' of ', toString(events), ' rows of dds.event have no row in dds.click'),
    'dds changed after the last check, or was never checked') AS reason,
    'make transform (a full refresh rebuilds dds from ods)' AS next
WHERE latest.2 > 0 OR NOT is_current;
