-- What dm.session does not have yet. After a full refresh of dds it starts from nothing.
SELECT
    (SELECT max(load_id) FROM dm.load_commit WHERE target = 'session') AS from_load,
    (SELECT max(load_id) FROM dds.load_commit) AS to_load;
