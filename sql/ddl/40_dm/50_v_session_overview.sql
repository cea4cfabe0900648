-- tier: all
-- One row per session of a registered user (user_domain_id is known); key click_id.
CREATE VIEW IF NOT EXISTS dm.v_session_overview AS
SELECT *
FROM dm.session
WHERE is_registered;
