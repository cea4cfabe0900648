-- One row per funnel stage: sessions that reached it or went beyond it.
SELECT
    stage_number,
    stage,
    sum(v_funnel.visits) AS visits
FROM dm.v_funnel
GROUP BY stage_number, stage
ORDER BY stage_number;
