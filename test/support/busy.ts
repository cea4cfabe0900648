import { availableParallelism, loadavg } from "node:os";

/** Whether the machine does other work when the test begins. */
export const BUSY =
  (loadavg()[0] ?? 0) > availableParallelism() / 2 || Number(process.env.TEST_LANES ?? 1) > 1;

/** Where the machine does other work, a promise of time is not asked for: it may take twice as long. */
export const allowed = (promised: number): number => (BUSY ? 2 * promised : promised);
