-- Planned offsets of a stream, as a parameter of the SELECT that types its messages.
SELECT toString(groupArray((epoch, _partition, offset_from, offset_to))) AS ranges
FROM ods.load_range
WHERE load_id = {lease_id:UInt64} AND stream = {stream:String};
