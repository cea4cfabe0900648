-- tier: all
-- Scratch of load_dm_sessions: the rows that change, before they take their place in dm.session.
CREATE TABLE IF NOT EXISTS dm.session_build AS dm.session;
