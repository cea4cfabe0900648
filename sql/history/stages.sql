-- One row per funnel stage: sessions that saw one of its pages.
SELECT
    stage_number,
    stage,
    sum(v_funnel.seen_sessions) AS sessions
FROM dm.v_funnel
GROUP BY stage_number, stage
ORDER BY stage_number, stage;
