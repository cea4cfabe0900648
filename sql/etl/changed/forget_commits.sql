-- A table without a commit is computed as a whole, also by a later run if this one is interrupted. Until then
-- readers see its last content.
TRUNCATE TABLE dm_internal.load_commit;

TRUNCATE TABLE dds.load_commit;
