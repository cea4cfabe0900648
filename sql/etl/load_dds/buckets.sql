-- As many buckets as keep each join at about {bucket_rows} events.
WITH
    (SELECT max(from_load) FROM dds.work_range) AS from_load,
    (SELECT max(to_load) FROM dds.work_range) AS to_load
SELECT arrayJoin(range(buckets)) AS bucket, 1 + intDiv(count(), {bucket_rows:UInt64}) AS buckets
FROM ods.browser_event
WHERE load_id > from_load AND load_id <= to_load;
