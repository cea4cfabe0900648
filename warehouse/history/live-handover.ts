import { UserError } from "../../contract/errors.ts";

/** Reads CHECK_LIVE_SEAM; default yes. @throws UserError for anything but 0 and 1 */
export function readLiveHandover(value: string | undefined): boolean {
  if (value === undefined || value === "1") return true;
  if (value === "0") return false;
  throw new UserError(
    `CHECK_LIVE_SEAM=${value} is not valid. Allowed: 1 (live generation continues from T_end, the default) or 0 (backfill-only and import-only)`,
    "run CHECK_LIVE_SEAM=0 make generated-history-check",
  );
}
