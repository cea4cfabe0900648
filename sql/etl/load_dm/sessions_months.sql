-- Months of an incremental build, which moves month by month; a full build is exchanged.
SELECT DISTINCT toStartOfMonth(started_at) AS month FROM dm_internal.session_build WHERE {from_load:UInt64} > 0;
