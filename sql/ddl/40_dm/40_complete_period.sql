-- tier: all
-- One row: the hours and days that are complete, without events of a clock that is ahead; 1970 without events.
CREATE TABLE IF NOT EXISTS dm.complete_period
(
    whole_hours_from  DateTime('UTC'),
    whole_hours_until DateTime('UTC'),
    last_complete_day Date
)
ENGINE = MergeTree
ORDER BY tuple();
