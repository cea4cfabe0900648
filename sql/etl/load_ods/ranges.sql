-- Planned offsets of each stream with new messages, as parameters of the SELECT that types them.
SELECT stream, toString(groupArray((epoch, _partition, offset_from, offset_to))) AS ranges, sum(offset_to - offset_from) AS messages
FROM ods.load_range
WHERE load_id = {lease_id:UInt64}
GROUP BY stream
ORDER BY stream;
