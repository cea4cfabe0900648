-- tier: all
-- Scratch of load_dm: keys of stored rows that go, because a newer version comes. A DELETE evaluates
-- its condition once per part of the table, so the keys are looked up beforehand.
CREATE TABLE IF NOT EXISTS dm.work_former
(
    id UUID
)
ENGINE = MergeTree
ORDER BY tuple();
