/**
 * Speed of `shop` as a ratio to `plain`: the median of pairs that run at the same time, so that other
 * load slows both. Fails below the limit.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { simulationOf } from "../generator/behaviour/behaviour.ts";
import { catalogueDonors } from "../generator/catalogue/donors.ts";
import { parseConfig } from "../generator/config.ts";
import { DonorPool } from "../generator/model/donors.ts";
import type { Simulation } from "../generator/model/simulation.ts";
import { advanceHours, median, ownCpuSeconds } from "./measure.ts";

const AT_LEAST = 0.8;
const PAIRS = 7;
const ROUNDS = 6;
const DAYS = 7;

/** Messages per second of processor time, which other load disturbs less than wall-clock time. */
function speedOf(behaviour: string): number {
  const donors = new DonorPool(catalogueDonors("bench"));
  const config = parseConfig({ GEN_SEED: "bench", GEN_BEHAVIOUR: behaviour });
  const rounds = Array.from({ length: ROUNDS }, () => runWeek(simulationOf(config, donors)));
  return Math.max(...rounds);
}

function runWeek(simulation: Simulation): number {
  const begun = ownCpuSeconds();
  const messages = advanceHours(simulation, DAYS * 24);
  return messages / (ownCpuSeconds() - begun);
}

/**
 * Measures in a separate process: code that V8 compiles for both behaviours is fast for neither.
 */
async function measured(behaviour: string): Promise<number> {
  const run = promisify(execFile)(process.execPath, [import.meta.filename, behaviour]);
  return Number((await run).stdout);
}

async function compare(): Promise<void> {
  const pairs = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const [plain, shop] = await Promise.all([measured("plain"), measured("shop")]);
    pairs.push({ plain, shop, ratio: shop / plain });
  }
  console.table(pairs);
  const ratio = median(pairs.map((pair) => pair.ratio));
  console.log(`median of the ratios: ${ratio.toFixed(2)}`);
  if (ratio >= AT_LEAST) return;
  console.error(`shop is ${ratio.toFixed(2)} of plain's speed; at least ${AT_LEAST} is required`);
  process.exitCode = 1;
}

const [behaviour] = process.argv.slice(2);
if (behaviour === undefined) await compare();
else console.log(speedOf(behaviour));
