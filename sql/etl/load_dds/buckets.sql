-- Keeps each join at about {bucket_rows} events.
SELECT arrayJoin(range(buckets)) AS bucket, 1 + intDiv({new_events:UInt64}, {bucket_rows:UInt64}) AS buckets;
