-- Returns a row with reason and hint if dm must not be built. The checked commit of dds must be the current
-- one, made by the last load_dds, and cover exactly the committed loads of ods.
WITH
    (SELECT max(load_id) FROM ods.load_commit) AS loaded,
    (SELECT argMax((load_id, lease_id), lease_id) FROM dds.load_commit) AS current,
    (SELECT max(id) FROM stg.lease WHERE step = 'load_dds') AS last_begun,
    (SELECT argMax((lease_id, orphan_events, events, clicks), checked_at) FROM dds.integrity_check) AS checked,
    (
        SELECT max(load_id) FROM ods.load_range
        WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit)
            AND (load_id < loaded OR load_id IN (SELECT load_id FROM dds.load_commit))
    ) AS lost_commit,
    (SELECT count() FROM dds.event) AS events,
    (SELECT count() FROM dds.click) AS clicks
SELECT
    multiIf(
        lost_commit > 0,
        concat('ods.load_commit has lost the row of load ', toString(lost_commit)),
        current.1 != loaded,
        concat('dds is committed up to load ', toString(current.1), ' and ods up to load ', toString(loaded)),
        current.2 != last_begun,
        concat('load_dds under lease ', toString(last_begun), ' was interrupted: dds has no commit of it'),
        checked.1 != current.2 OR checked.3 != events OR checked.4 != clicks,
        'dds changed after the last check, or was never checked',
        checked.2 > 0,
        concat('orphan_events = ', toString(checked.2), ' of ', toString(events), ' rows of dds.event have no row in dds.click'),
        '') AS reason,
    'run `make transform` (a full refresh rebuilds dds from ods)' AS hint
WHERE reason != '';
