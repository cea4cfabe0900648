-- tier: all
-- Scratch of load_dm: ids of what a load changes. Stored in a table, because a DELETE evaluates its condition
-- once per part.
CREATE TABLE IF NOT EXISTS dm.work_former
(
    id UUID
)
ENGINE = MergeTree
ORDER BY tuple();
