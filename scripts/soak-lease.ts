/**
 * Stops, continues and kills two runs of the batch process on one server at random times, with
 * clean starts and resets. Exits with 1 if a round finds a commit of a lost lease, or rows that
 * differ from an undisturbed run.
 */
import { parseArgs } from "node:util";
import { renderTable } from "../terminal/format.ts";
import { type SoakResult, soakLease } from "../test/support/soak-lease/soak.ts";

const HELP = `Usage: node scripts/soak-lease.ts [--seed TEXT] [--rounds N]

Stops, continues and kills runs of the batch process at random times, and compares the result with
an undisturbed run. Prints each round to stderr and a table of the results to stdout.

  --seed TEXT   seed of the times and of the messages (default 1)
  --rounds N    number of rounds, at least 1 (default 200)
  --help        print this text`;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    rounds: { type: "string", default: "200" },
    help: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
if (values.help) console.log(HELP);
else if (Number.isInteger(rounds) && rounds > 0) await soak(values.seed, rounds);
else {
  console.error(`error: --rounds ${values.rounds}: must be a whole number of at least 1`);
  process.exitCode = 1;
}

async function soak(seed: string, rounds: number): Promise<void> {
  const started = performance.now();
  const log = (line: string) => console.error(`${new Date().toISOString()} ${line}`);
  const result = await soakLease({ seed, rounds, log });
  const seconds = (performance.now() - started) / 1000;
  console.log(renderTable(["what", "result"], rowsOf(seed, result, seconds)));
  for (const difference of result.differences) console.log(`\n${difference}`);
  if (result.differences.length > 0) process.exitCode = 1;
}

function rowsOf(seed: string, result: SoakResult, seconds: number): [string, string][] {
  return [
    ["seed", seed],
    ["rounds", String(result.rounds)],
    ["stops", String(result.stops)],
    ["kills", String(result.kills)],
    ["takeovers", String(result.takeOvers)],
    ["runs that lost the lease", String(result.lost)],
    ["runs that the gate refused", String(result.refusedByGate)],
    ["clean starts", String(result.cleanStarts)],
    ["interrupted clears that left messages", String(result.goneOn)],
    ["resets", String(result.resets)],
    ["differences", String(result.differences.length)],
    ["seconds", seconds.toFixed(0)],
  ];
}
