/** Interval between scheduled loads of a stack in live mode (DAG `etl_live`), seconds. */
export const LIVE_LOAD_SECONDS = 300;
