-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_session_overview
    COMMENT 'One row per session of a registered user (user_domain_id is known); key click_id.'
AS
SELECT *
FROM dm.session
WHERE is_registered;

ALTER TABLE dm.v_session_overview
    COMMENT COLUMN currency 'Currency of purchases and refunds; empty without one, or if there are several',
    COMMENT COLUMN _offset 'Offset of the first event; orders sessions with the same start';
