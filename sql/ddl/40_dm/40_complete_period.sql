-- tier: all
-- One row: the hours and days that are complete by the clock of the site, and its zone; 1970 without an
-- event of a clock that is right.
CREATE TABLE IF NOT EXISTS dm.complete_period
(
    whole_hours_from  DateTime('UTC'),
    whole_hours_until DateTime('UTC'),
    last_complete_day Date,
    timezone          LowCardinality(String)
)
ENGINE = MergeTree
ORDER BY tuple();
