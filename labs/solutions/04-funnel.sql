-- The stage that is the furthest one of most sessions, without the last stage.
SELECT stages_reached[-1] AS stage, count() AS lost
FROM dm.session
WHERE funnel_stage > 0 AND funnel_stage < (SELECT max(stage_number) FROM dm.v_funnel)
GROUP BY stage
ORDER BY lost DESC
LIMIT 1;
