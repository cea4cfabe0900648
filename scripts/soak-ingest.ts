/**
 * Starts, stops, freezes and kills processes of `pipeline ingest` at random while messages arrive.
 * Exits with 1 if a message is missing in stg, has a second row, or could be skipped by a load. Has the requirements of the
 * `kafka` test level: node scripts/soak-ingest.ts --seed 1 --kills 100
 */
import { parseArgs } from "node:util";
import { renderTable } from "../terminal/format.ts";
import { soakIngest } from "../test/kafka/ingest-soak.ts";
import { IngestSystem } from "../test/kafka/ingest-system.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    kills: { type: "string", default: "100" },
  },
});
const started = performance.now();
const system = await IngestSystem.open();
try {
  await system.clear();
  const result = await soakIngest(system, {
    seed: values.seed,
    kills: Number(values.kills),
    log: (line) => console.error(`${new Date().toISOString()} ${line}`),
  });
  const seconds = Math.round((performance.now() - started) / 1000);
  const rows = Object.entries({ seed: values.seed, ...result, seconds });
  console.log(
    renderTable(
      ["what", "result"],
      rows.map(([what, value]) => [what, String(value)]),
    ),
  );
  if (result.lost + result.doubled + result.late > 0) process.exitCode = 1;
} finally {
  await system.close();
}
