-- An incremental build moves over month by month; a full one is exchanged.
SELECT DISTINCT toStartOfMonth(session_date) AS month FROM dm.session_build WHERE {from_load:UInt64} > 0;
