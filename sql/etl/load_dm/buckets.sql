-- Ranges of click_id, the sorting key, that limit each join to about {bucket_rows} events. Each range is read
-- once; the bounds come from a sample of the sessions.
WITH
    1 + intDiv({new_events:UInt64}, {bucket_rows:UInt64}) AS buckets,
    arrayMap(
        bucket -> toString(sample[1 + intDiv(bucket * length(sample), buckets)]),
        range(1, if(empty(sample), 1, buckets))
    ) AS bounds
SELECT bound.1 AS from_click, bound.2 AS to_click
FROM
(
    SELECT arraySort(groupArray(click_id)) AS sample
    FROM dds.click
    WHERE {new_events:UInt64} >= {bucket_rows:UInt64}
        AND cityHash64(click_id) % (1 + intDiv((SELECT count() FROM dds.click), 4096)) = 0
)
ARRAY JOIN arrayZip(arrayPushFront(bounds, ''), arrayPushBack(bounds, '')) AS bound;
