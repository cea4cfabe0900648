-- What dm.event_enriched does not have yet; a full refresh starts from nothing.
SELECT
    if({full_refresh:Bool}, 0, (SELECT max(load_id) FROM dm.load_commit WHERE target = 'event_enriched')) AS from_load,
    (SELECT max(load_id) FROM dds.load_commit) AS to_load;
