/** Time limit of a backfill, its delivery to stg, or a batch on a slow machine, seconds. */
export const LIVE_STEP_SECONDS = 900;
