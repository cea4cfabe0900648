SELECT
    (SELECT count() FROM merge('ods', '_event$') WHERE load_id = {lease_id:UInt64}) AS typed,
    (SELECT count() FROM merge('ods', '_event_errors$') WHERE load_id = {lease_id:UInt64} AND NOT is_typed) AS rejected;
