-- tier: all
CREATE TABLE IF NOT EXISTS dm.truth
(
    position UInt32 COMMENT 'Place of the effect in the manifest, from 1',
    effect   String COMMENT 'What is counted; with its times if the ground truth changes within the history',
    segment  String COMMENT 'Part of the sessions; for a difference both, with a minus',
    truth    Float64 COMMENT 'Expected share or mean amount by the generator''s parameters, or a difference of two',
    estimate Float64 COMMENT 'Share or mean amount in the marts',
    low      Float64 COMMENT 'Lower end of the 95 % confidence interval of the estimate',
    high     Float64 COMMENT 'Upper end of the 95 % confidence interval of the estimate',
    sessions UInt64 COMMENT 'Counted sessions; for a difference, those of both segments',
    verdict  LowCardinality(String) COMMENT '''inside'' if the interval contains the ground truth, else ''outside'''
)
ENGINE = MergeTree
ORDER BY position
COMMENT 'One row per published effect of the generated history: its ground truth and its estimate from the marts. Empty without a published ground truth, or if the latest epoch has several sources.';

CREATE TABLE IF NOT EXISTS dm_internal.truth_build AS dm.truth
COMMENT 'Scratch of load_dm_truth, exchanged with dm.truth when complete.';

CREATE TABLE IF NOT EXISTS dm_internal.work_effect
(
    position      UInt32,
    counted       String COMMENT 'Which sessions of a visitor count: first, second or any',
    measure       String COMMENT 'What the effect counts',
    dimension     String COMMENT 'Column by which the sessions are divided; all if they are not',
    segment       String COMMENT 'Part of the sessions',
    minus         String COMMENT 'Segment from which the effect is the difference; else empty',
    truth         Float64 COMMENT 'Expected value in the manifest',
    history_from  DateTime64(6, 'UTC') COMMENT 'First start of a session that gives others their number',
    history_until DateTime64(6, 'UTC') COMMENT 'End of these starts',
    window_from   DateTime64(6, 'UTC') COMMENT 'First start of a session that counts',
    window_until  DateTime64(6, 'UTC') COMMENT 'End of these starts'
)
ENGINE = MergeTree
ORDER BY position
COMMENT 'Scratch of load_dm_truth: the published effects of the only source.';

CREATE TABLE IF NOT EXISTS dm_internal.work_outcome
(
    window_from DateTime64(6, 'UTC'),
    counted     LowCardinality(String),
    measure     LowCardinality(String),
    dimension   LowCardinality(String),
    segment     String COMMENT 'Part of the sessions',
    sessions    UInt64 COMMENT 'Sessions that count',
    hits        UInt64 COMMENT 'Sessions of these with the outcome',
    divisor     Float64 COMMENT 'Visitors or orders by which the money is divided',
    amount      Float64 COMMENT 'Money, in ten-thousandths',
    amount_2    Float64 COMMENT 'Sum of the squares of the money of a session',
    mixed       Float64 COMMENT 'Sum of the products of money and divisor of a session',
    divisor_2   Float64 COMMENT 'Sum of the squares of the divisor of a session'
)
ENGINE = MergeTree
ORDER BY tuple()
COMMENT 'Scratch of load_dm_truth: one row per window, outcome and segment with its sessions.';
