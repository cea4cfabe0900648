-- One row per batch (model hour from t0) between {from} and {to}: SHA-256 of its lines in order of
-- emission. Merges partitions by time of emission. At equal times, starting sessions come first, then older
-- sessions. Within these, the order is the session number of the key, then the page event number of the id.
-- ties: equal times in several partitions.
SELECT
    batch,
    lower(hex(SHA256(arrayStringConcat(arrayMap(line -> line.2, arraySort(line -> line.1, groupArray((place, raw)))), '\n')))) AS digest,
    count() AS lines,
    if({partitions:UInt32} = 1, 0, uniqExact(emitted_at, _partition) - uniqExact(emitted_at)) AS ties
FROM
(
    SELECT
        intDiv(toUnixTimestamp64Micro(assumeNotNull(emitted_at)) - {t0:Int64}, 3600000000) AS batch,
        if({partitions:UInt32} = 1, 0, toUnixTimestamp64Micro(assumeNotNull(emitted_at))) AS instant,
        if({partitions:UInt32} = 1, '', concat(if(substring(raw, 46, 4) > '0001', '1', '0'), substring(_key, 25, 8))) AS visit,
        (instant, visit, _partition, _offset) AS place,
        emitted_at,
        _partition,
        raw
    FROM stg.raw FINAL
    WHERE _topic = {topic:String}
        AND epoch = {epoch:UInt64}
        AND repairs = ''
        AND emitted_at >= fromUnixTimestamp64Micro({from:Int64}, 'UTC')
        AND emitted_at < fromUnixTimestamp64Micro({to:Int64}, 'UTC')
)
GROUP BY batch
ORDER BY batch;
