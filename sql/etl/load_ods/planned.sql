-- Messages of a topic in ranges of offsets: (epoch, partition, after, up to).
WITH {ranges:Array(Tuple(UInt64, Int32, Int64, Int64))} AS ranges
SELECT *
FROM stg.raw FINAL
-- Versions of a row are equal in the sorting key, so FINAL can follow.
PREWHERE _topic = {topic:String}
    -- Bounds for the primary key; without a range nothing is read.
    AND notEmpty(ranges)
    AND epoch >= arrayMin(range -> range.1, ranges)
    AND _offset > arrayMin(range -> range.3, ranges)
    AND arrayExists(range -> epoch = range.1 AND _partition = range.2 AND _offset > range.3 AND _offset <= range.4, ranges);
