-- tier: all
-- One row per session of a registered user (user_domain_id is known); key click_id.
-- clock: 'ahead' if every event is stamped later than it was sent, so that its times are wrong; else 'right'.
CREATE VIEW IF NOT EXISTS dm.v_session_overview AS
SELECT
    *,
    if((click_id, page_events) IN
    (
        SELECT click_id, toUInt32(count())
        FROM dm.event_enriched
        WHERE has(event_markers, 'skewed_clock')
        GROUP BY click_id
    ), 'ahead', 'right') AS clock
FROM dm.session
WHERE is_registered;
