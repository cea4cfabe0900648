/**
 * Kills generator, broker and engine at random times and reports the result. Exits with 1 if a
 * message is missing, duplicated or different, or if two of three brokers did not survive a fault.
 * Has the requirements of the `kafka` test level.
 * node scripts/soak-kafka.ts --seed 1 --kills 100 --broker-restarts 20 --engine-restarts 20
 * With `--brokers 3` the brokers fail in turn, by kills and `--broker-stops`, and the rest goes on.
 */
import { parseArgs } from "node:util";
import { renderTable } from "../terminal/format.ts";
import { soak } from "../test/kafka/soak.ts";

const text = (fallback: string) => ({ type: "string", default: fallback }) as const;
const { values } = parseArgs({
  options: {
    seed: text("1"),
    kills: text("100"),
    "broker-restarts": text("20"),
    brokers: text("1"),
    "broker-stops": text("0"),
    "engine-restarts": text("20"),
    // A backfill of 20 minutes, so that all kills can occur during the backfill.
    days: text("260"),
  },
});
const brokers = values.brokers === "3" ? 3 : 1;
const result = await soak({
  seed: values.seed,
  kills: Number(values.kills),
  brokers,
  brokerRestarts: Number(values["broker-restarts"]),
  brokerStops: Number(values["broker-stops"]),
  engineRestarts: Number(values["engine-restarts"]),
  days: Number(values.days),
  log: (line) => console.error(`${new Date().toISOString()} ${line}`),
});
const rows = [
  ["seed", values.seed],
  ["brokers", String(brokers)],
  ...Object.entries(result.happened).map(([fault, count]) => [fault, String(count)]),
  ...(brokers === 3 ? [["went on without a broker", String(result.survivedFaults)]] : []),
  ["messages in stg", String(result.messages)],
  ["unaccounted", String(result.unaccounted)],
  ["duplicated in dds", String(result.doubled)],
  ["manifest equals the undisturbed run", result.isManifestEqual ? "yes" : "NO"],
  ["data equal the undisturbed run", result.isDataEqual ? "yes" : "NO"],
  ["seconds", String(result.seconds)],
];
console.log(renderTable(["what", "result"], rows));
const brokerFaults = Number(values["broker-restarts"]) + Number(values["broker-stops"]);
const isSound =
  result.unaccounted === 0 &&
  result.doubled === 0 &&
  result.isManifestEqual &&
  result.isDataEqual &&
  (brokers === 1 || result.survivedFaults === brokerFaults);
process.exit(isSound ? 0 : 1);
