-- After a full refresh nothing is older than what is loaded.
SELECT {from_load:UInt64} + (SELECT count() FROM dds.event) AS count;
