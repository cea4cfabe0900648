/** Between two scheduled loads of a live stack (DAG `etl_live`), seconds. */
export const LIVE_LOAD_SECONDS = 300;
