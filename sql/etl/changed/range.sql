-- The loads of ods that dds lacks, (from_load, to_load]; without from_load it must be computed as a whole: in a full
-- refresh, if a SELECT of dds has changed, and if someone has emptied a table.
WITH
    (SELECT argMax((load_id, definition), lease_id) FROM dds.load_commit) AS last,
    (SELECT count() FROM dds.event) AS events,
    (SELECT count() FROM dds.click) AS clicks
SELECT
    if({full_refresh:Bool} OR last.2 != {dds_definition:String} OR events = 0 OR clicks = 0, 0, last.1) AS from_load,
    (SELECT max(load_id) FROM ods.load_commit) AS to_load,
    from_load = 0 AS is_whole,
    from_load BETWEEN 1 AND to_load - 1 AS has_changes;
