-- One row: totals of the dm layer. A visitor is of one site.
SELECT
    sum(v_totals.page_events) AS page_events,
    sum(v_totals.purchases) AS purchases,
    sum(v_totals.revenue) AS revenue,
    sum(v_totals.refunds) AS refunds,
    sum(v_totals.net_revenue) AS net_revenue,
    sum(v_totals.skewed_events) AS skewed_events,
    sum(v_totals.sessions) AS sessions,
    sum(v_totals.visitors) AS visitors,
    sum(v_totals.registered_sessions) AS registered_sessions,
    sum(v_totals.purchase_sessions) AS purchase_sessions,
    (
        SELECT arraySort(groupUniqArray(currency))
        FROM dm.event_enriched
        WHERE currency != '' AND event_type IN ('purchase', 'refund')
    ) AS currencies
FROM dm.v_totals;
