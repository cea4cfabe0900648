-- Begins with the ids that were erased before.
TRUNCATE TABLE dm_internal.erased;

INSERT INTO dm_internal.erased SELECT hash FROM stg.erased;
