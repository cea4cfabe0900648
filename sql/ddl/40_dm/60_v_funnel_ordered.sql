-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_funnel_ordered
    COMMENT 'One row per start date of sessions, site and funnel stage, up to the furthest stage of any session. A session counts at a stage if it saw pages of all stages up to it, in order. Excludes page events with a skewed clock: their order is unknown.'
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
    SELECT session_date, site, sumForEach(arrayMap(number -> number <= stage_reached, arrayEnumerate(stages))) AS counts
    FROM
    (
        SELECT
            session_date,
            site,
            arraySort(groupArray((page_number, page_stage))) AS pages,
            arrayFold((reached, page) -> if(page.2 = reached + 1, page.2, reached), pages, toUInt8(0)) AS stage_reached
        FROM dm.page_view
        WHERE clock = 'right'
        GROUP BY session_date, site, click_id
    )
    GROUP BY session_date, site
)
ARRAY JOIN arrayEnumerate(stages) AS stage_number;

ALTER TABLE dm.v_funnel_ordered
    COMMENT COLUMN stage 'Funnel stage',
    COMMENT COLUMN first_sessions 'Sessions at the first stage',
    COMMENT COLUMN previous_sessions 'Sessions at the previous stage; for the first stage its own',
    COMMENT COLUMN share_of_first 'Share of the first stage''s sessions; NULL without any',
    COMMENT COLUMN share_of_previous 'Share of the previous stage''s sessions; NULL without any';
