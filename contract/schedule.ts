/** Interval between scheduled loads of a stack in live mode (DAG `etl_live`), seconds. */
export const LIVE_LOAD_SECONDS = 300;

/** Time limit of a backfill, its delivery to stg, or a batch on a slow machine, seconds. */
export const LIVE_STEP_SECONDS = 900;
