-- One row per source: its UTM tag, else the class of the referrer; sessions, and those with a purchase. An empty
-- class means that the first page is unknown.
SELECT
    multiIf(utm_source != '', concat(utm_source, ' · ', utm_medium), referer_medium != '', referer_medium, 'unknown') AS label,
    sum(v_sources.sessions) AS sessions,
    sum(v_sources.purchase_sessions) AS purchase_sessions
FROM dm.v_sources
GROUP BY label
ORDER BY sessions DESC, label;
