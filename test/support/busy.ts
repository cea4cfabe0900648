import { availableParallelism, loadavg } from "node:os";

/** Whether the machine did other work when this was loaded: promises of time are for one that does not. */
const BUSY =
  (loadavg()[0] ?? 0) > availableParallelism() / 2 || Number(process.env.TEST_LANES ?? 1) > 1;

/** How long what is promised may take here: on a busy machine, where it is not asked for, twice as long. */
export const allowed = (promised: number): number => (BUSY ? 2 * promised : promised);
