TRUNCATE TABLE dm_internal.erased;

TRUNCATE TABLE dm_internal.swept_message;
