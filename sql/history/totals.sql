-- One row: totals of the dm layer.
SELECT page_events, purchases, revenue, refunds, net_revenue, skewed_events, sessions, visitors, registered_sessions, purchase_sessions
FROM dm.v_totals;
