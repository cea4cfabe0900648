ALTER TABLE dm_internal.session_build MOVE PARTITION {month:Date} TO TABLE dm.session;
