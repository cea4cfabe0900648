/** Interval between scheduled loads of a stack in live mode (DAG `etl_live`), seconds. */
export const LIVE_LOAD_SECONDS = 30;

/** Intervals after which data count as late: a load may take several of them, which skip their turns. */
export const LOADS_UNTIL_LATE = 10;

/** Time limit of a backfill, its delivery to stg, or a batch on a slow machine, seconds. */
export const LIVE_STEP_SECONDS = 900;
