TRUNCATE TABLE dm_internal.erased;

TRUNCATE TABLE dm_internal.erased_message;
