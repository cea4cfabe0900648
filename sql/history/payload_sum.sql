-- One row: messages of one stream of the epoch emitted before t_end or at an unknown time, and the sum of
-- their hashes modulo 2^64. A hash is the CRC-32 above the MurmurHash3 (generator/payload-hash.ts).
SELECT
    count() AS lines,
    lower(leftPad(hex(sum(toUInt64(CRC32(raw)) * 4294967296 + murmurHash3_32(raw))), 16, '0')) AS digest
FROM stg.raw FINAL
WHERE _topic = {topic:String}
    AND epoch = {epoch:UInt64}
    AND repairs = ''
    AND (emitted_at IS NULL OR emitted_at < fromUnixTimestamp64Micro({t_end:Int64}, 'UTC'));
