-- Months of an incremental build, which moves month by month; a full build is exchanged.
SELECT DISTINCT toStartOfMonth(event_timestamp) AS month FROM dm_internal.page_view_build WHERE {from_load:UInt64} > 0;
