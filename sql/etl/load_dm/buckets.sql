-- As many ranges of click_id as keep each join at about {bucket_rows} events. The tables are sorted by
-- it, so that each range is read once; the bounds come from a sample of the visits.
SELECT bound.1 AS from_click, bound.2 AS to_click
FROM
(
    WITH
        (
            SELECT 1 + intDiv(count(), {bucket_rows:UInt64})
            FROM dds.event WHERE load_id > {from_load:UInt64}
        ) AS buckets,
        (
            SELECT arraySort(groupArray(click_id)) FROM dds.click
            WHERE buckets > 1
                AND cityHash64(click_id) % (1 + intDiv((SELECT count() FROM dds.click), 4096)) = 0
        ) AS sample,
        arrayMap(
            bucket -> toString(sample[1 + intDiv(bucket * length(sample), buckets)]),
            range(1, if(empty(sample), 1, buckets))
        ) AS bounds
    SELECT arrayJoin(arrayZip(arrayPushFront(bounds, ''), arrayPushBack(bounds, ''))) AS bound
);
