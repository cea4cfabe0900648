-- An expiry has ended, or has not begun: between both, ods has parts of sessions.
SELECT 'rows are leaving ods, and their load was interrupted' AS reason, 'run `make transform`' AS hint
FROM dds.expiry FINAL
WHERE finished_at IS NULL;
