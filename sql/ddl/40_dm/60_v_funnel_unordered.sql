-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_funnel_unordered
    COMMENT 'One row per start date of sessions, site and funnel stage, up to the furthest stage of any session. A session counts at each stage with a page that it saw, so a stage may have more sessions than the previous one. Excludes sessions with a skewed clock: their day is unknown.'
AS
WITH (SELECT argMax(stages_reached, funnel_stage) FROM dm.session) AS stages
SELECT
    session_date,
    site,
    stage_number,
    stages[stage_number] AS stage,
    counts[stage_number] AS sessions,
    counts[1] AS first_sessions,
    counts[greatest(stage_number, 2) - 1] AS previous_sessions,
    sessions / nullIf(first_sessions, 0) AS share_of_first,
    sessions / nullIf(previous_sessions, 0) AS share_of_previous
FROM
(
    SELECT session_date, site, sumForEach(arrayMap(one -> has(stages_seen, one), stages)) AS counts
    FROM dm.session
    WHERE clock = 'right'
    GROUP BY session_date, site
)
ARRAY JOIN arrayEnumerate(stages) AS stage_number;

ALTER TABLE dm.v_funnel_unordered
    COMMENT COLUMN stage 'Funnel stage';
