-- tier: all
-- Visitors who lose a session that load_dm_sessions replaces. Rows stay until load_dm_visitors commits,
-- because dm.session no longer has them after an interruption.
CREATE TABLE IF NOT EXISTS dm_internal.previous_visitor
(
    user_custom_id String
)
ENGINE = MergeTree
ORDER BY tuple();

-- Scratch of load_dm: visitors with a changed session.
CREATE TABLE IF NOT EXISTS dm_internal.work_visitor
(
    user_custom_id String
)
ENGINE = MergeTree
ORDER BY tuple();

-- Scratch of load_dm_sessions: sessions of those visitors with their numbers.
CREATE TABLE IF NOT EXISTS dm_internal.work_number
(
    click_id       UUID,
    session_number UInt32
)
ENGINE = MergeTree
ORDER BY click_id;
