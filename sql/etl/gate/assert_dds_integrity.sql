-- A row is a reason to stop: what it says goes to the operator.
WITH
    (SELECT max(load_id) FROM dds.load_commit) AS current_load,
    (SELECT argMax((load_id, orphan_events, events), checked_at) FROM dds.integrity_check) AS latest
SELECT if(
    latest.1 = current_load AND latest.3 = (SELECT count() FROM dds.event),
    concat('orphan_events = ', toString(latest.2), ' of ', toString(latest.3), ' rows of dds.event have no row in dds.click'),
    'dds changed after the last check, or was never checked') AS reason
WHERE latest.2 > 0 OR latest.1 != current_load OR latest.3 != (SELECT count() FROM dds.event);
