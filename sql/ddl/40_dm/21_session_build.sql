-- tier: all
-- Scratch of load_dm_sessions: changed rows before they move to dm.session.
CREATE TABLE IF NOT EXISTS dm_internal.session_build AS dm.session;
