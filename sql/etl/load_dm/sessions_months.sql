-- Built beside what there is, the result moves over month by month; built from nothing, it is exchanged.
SELECT DISTINCT toStartOfMonth(session_date) AS month FROM dm.session_build WHERE {from_load:UInt64} > 0;
