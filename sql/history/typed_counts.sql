-- One row: users, sessions and events in the typed messages of the epoch.
SELECT
    (SELECT uniqExactIf(user_custom_id, user_custom_id != '') FROM ods.device_event WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit)) AS users,
    (SELECT uniqExact(click_id) FROM ods.browser_event WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit)) AS sessions,
    (SELECT uniqExact(event_id) FROM ods.browser_event WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit)) AS events;
