-- Keeps each join at about {dds_bucket_rows} events.
SELECT arrayJoin(range(buckets)) AS bucket, 1 + intDiv({new_events:UInt64}, {dds_bucket_rows:UInt64}) AS buckets;
