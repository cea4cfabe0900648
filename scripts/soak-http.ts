/**
 * Aborts, kills, inserts and uses sessions of the embedded HTTP server at random times. Exits
 * with 1 if the server ends or leaves files, descriptors or queries behind.
 * node scripts/soak-http.ts --seed 1 --seconds 60
 */
import { parseArgs } from "node:util";
import { renderTable } from "../terminal/format.ts";
import { soak } from "../test/commands/http/soak.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "60" },
  },
});
const { requests, ended, leftBehind } = await soak({
  seed: values.seed,
  seconds: Number(values.seconds),
});
const rows = [
  ...Object.entries(requests).map(([kind, count]) => [`requests: ${kind}`, String(count)]),
  ["left behind", leftBehind.join("\n") || "nothing"],
  ["server", ended === undefined ? "answers" : `ended with ${ended}`],
];
console.log(renderTable(["what", "result"], rows));
process.exit(ended === undefined && leftBehind.length === 0 ? 0 : 1);
