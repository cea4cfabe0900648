-- tier: all
-- Scratch of load_dm: ids of what a load changes. Their stored rows go, and a visit's older events are
-- read again by them. A DELETE evaluates its condition once per part of the table, so the ids are looked
-- up beforehand.
CREATE TABLE IF NOT EXISTS dm.work_former
(
    id UUID
)
ENGINE = MergeTree
ORDER BY tuple();
