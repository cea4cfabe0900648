-- One row per channel: sessions, and those with a purchase.
SELECT
    channel AS label,
    sum(v_channels.sessions) AS sessions,
    sum(v_channels.purchase_sessions) AS purchase_sessions
FROM dm.v_channels
GROUP BY label
ORDER BY sessions DESC, label;
