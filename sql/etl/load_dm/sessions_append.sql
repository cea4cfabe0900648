ALTER TABLE dm.session_build MOVE PARTITION {month:Date} TO TABLE dm.session;
