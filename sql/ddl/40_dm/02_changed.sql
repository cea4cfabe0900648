-- tier: all
CREATE TABLE IF NOT EXISTS dm_internal.changed_event
(
    load_id  UInt64,
    event_id UUID
)
ENGINE = MergeTree
ORDER BY load_id
COMMENT 'Events with a new message. The tables changed_* list what loads changed: the ids whose rows must be computed again. Rows stay until every table has published the load.';

CREATE TABLE IF NOT EXISTS dm_internal.changed_click
(
    load_id  UInt64,
    click_id UUID
)
ENGINE = MergeTree
ORDER BY load_id
COMMENT 'Sessions with a new message, or with a message of such an event: an event may move to another session.';

CREATE TABLE IF NOT EXISTS dm_internal.changed_visitor
(
    load_id        UInt64,
    user_custom_id String
)
ENGINE = MergeTree
ORDER BY load_id
COMMENT 'Visitors with such a session, before or after the load.';

CREATE TABLE IF NOT EXISTS dm_internal.changed_visitor_click
(
    load_id  UInt64,
    click_id UUID
)
ENGINE = MergeTree
ORDER BY load_id
COMMENT 'All sessions of these visitors.';

CREATE TABLE IF NOT EXISTS dm_internal.changed_session
(
    load_id  UInt64,
    click_id UUID
)
ENGINE = MergeTree
ORDER BY load_id
COMMENT 'Changed sessions, and those of changed visitors whose number changes.';

CREATE TABLE IF NOT EXISTS dm_internal.changed_reach
(
    load_id      UInt64,
    entity       LowCardinality(String) COMMENT 'Table of ods',
    epoch        UInt64,
    first_offset Int64 COMMENT 'Lowest offset of a message of the changed ids'
)
ENGINE = MergeTree
ORDER BY load_id
COMMENT 'Where messages of the changed ids can be: the lowest offset by table of ods and epoch.';

CREATE TABLE IF NOT EXISTS dm_internal.changed_month
(
    load_id UInt64,
    month   Date COMMENT 'Month with rows of the changed ids'
)
ENGINE = MergeTree
ORDER BY load_id
COMMENT 'Months with rows of the changed ids.';
