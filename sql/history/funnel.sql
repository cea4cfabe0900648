-- One row per funnel stage: sessions that reached it or a later stage, and sessions that saw one of its pages.
SELECT
    declared.stage_number AS stage_number,
    declared.stage AS stage,
    reached.sessions AS sessions,
    reached.seen_sessions AS seen_sessions
FROM
(
    SELECT stage, stage_number
    FROM dm_internal.site
    ARRAY JOIN stages.stage AS stage, arrayEnumerate(stages) AS stage_number
) AS declared
LEFT JOIN
(
    SELECT stage_number, sum(v_funnel.sessions) AS sessions, sum(v_funnel.seen_sessions) AS seen_sessions
    FROM dm.v_funnel
    GROUP BY stage_number
) AS reached ON declared.stage_number = reached.stage_number
ORDER BY stage_number;
