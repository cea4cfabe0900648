import { homedir } from "node:os";
import { join } from "node:path";

/** Folder of what tests fetch or build once, outside the checkout. */
export const CACHE = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"),
  "event-pipeline-stack",
);
