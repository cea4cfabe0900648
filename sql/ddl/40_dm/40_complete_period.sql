-- tier: all
CREATE TABLE IF NOT EXISTS dm.complete_period
(
    whole_hours_from  DateTime('UTC') COMMENT 'Start of the first hour whose events are complete, by the site''s clock',
    whole_hours_until DateTime('UTC') COMMENT 'End of the last hour whose events are complete, by the site''s clock',
    last_complete_day Date COMMENT 'Last complete day by the site''s clock: the next one has an event, or the generated history ends after it',
    timezone          LowCardinality(String) COMMENT 'Time zone of the site, by whose clock the marts count days and hours',
    newest_event      DateTime64(6, 'UTC') COMMENT 'Time of the newest event without a skewed clock, UTC; 1970 if there is none'
)
ENGINE = MergeTree
ORDER BY tuple()
COMMENT 'One row: which hours and days are complete by the site''s clock; 1970 without events.';
