-- tier: all
-- Scratch of load_dm: ids of changed rows, in a table because a DELETE evaluates its condition once per part.
CREATE TABLE IF NOT EXISTS dm_internal.work_previous
(
    id UUID
)
ENGINE = MergeTree
ORDER BY tuple();
