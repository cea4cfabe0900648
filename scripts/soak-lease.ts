/**
 * Two processes run the batch process on one server and are stopped, continued and killed at random
 * moments, with clean starts and resets in between: `node scripts/soak-lease.ts --seed 1 --rounds 200`.
 * Exits with 1 when a round ends with other rows than an undisturbed run from scratch.
 */
import { parseArgs } from "node:util";
import { renderTable } from "../pipeline/terminal/format.ts";
import { soakLease } from "../test/support/soak-lease/soak.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    rounds: { type: "string", default: "200" },
  },
});
const started = performance.now();
const counts = await soakLease({
  seed: values.seed,
  rounds: Number(values.rounds),
  log: (line) => console.error(`${new Date().toISOString()} ${line}`),
});
const seconds = ((performance.now() - started) / 1000).toFixed(0);
const rows = Object.entries(counts).map(([what, count]) => [what, String(count)]);
console.log(
  renderTable(["what", "result"], [["seed", values.seed], ...rows, ["seconds", seconds]]),
);
