-- tier: all
-- One row per published effect of the generated history: what is true beside its estimate from the marts. Empty if the
-- generator published no truth, or the latest epoch has several sources.
CREATE TABLE IF NOT EXISTS dm.truth
(
    position UInt32,
    effect   String,
    segment  String,
    truth    Float64,
    estimate Float64,
    low      Float64,
    high     Float64,
    sessions UInt64,
    verdict  LowCardinality(String)
)
ENGINE = MergeTree
ORDER BY position;

-- Scratch of load_dm_truth, exchanged with dm.truth when complete.
CREATE TABLE IF NOT EXISTS dm_internal.truth_build AS dm.truth;

-- Scratch of load_dm_truth: the published effects of the only source. minus: segment from which the effect is the
-- difference, else empty; window: its sessions begin in it; history: other sessions do not count for their numbers.
CREATE TABLE IF NOT EXISTS dm_internal.work_effect
(
    position      UInt32,
    counted       String,
    measure       String,
    dimension     String,
    segment       String,
    minus         String,
    truth         Float64,
    history_from  DateTime64(6, 'UTC'),
    history_until DateTime64(6, 'UTC'),
    window_from   DateTime64(6, 'UTC'),
    window_until  DateTime64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY position;

-- Scratch of load_dm_truth: one row per window, outcome and segment with its sessions.
-- amount: money in ten-thousandths, divisor: by what it is divided; amount_2, mixed, divisor_2: sums of their products.
CREATE TABLE IF NOT EXISTS dm_internal.work_outcome
(
    window_from DateTime64(6, 'UTC'),
    counted     LowCardinality(String),
    measure     LowCardinality(String),
    dimension   LowCardinality(String),
    segment     String,
    sessions    UInt64,
    hits        UInt64,
    divisor     Float64,
    amount      Float64,
    amount_2    Float64,
    mixed       Float64,
    divisor_2   Float64
)
ENGINE = MergeTree
ORDER BY tuple();
