SELECT 1 + intDiv(count(), {bucket_rows:UInt64}) AS buckets
FROM dds.event
WHERE load_id > {from_load:UInt64};
