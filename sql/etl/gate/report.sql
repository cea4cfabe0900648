SELECT orphan_events FROM dds.integrity_check ORDER BY checked_at DESC LIMIT 1;
