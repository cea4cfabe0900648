-- A table without a commit is computed as a whole. Until then readers see its last content.
TRUNCATE TABLE dm_internal.load_commit;
