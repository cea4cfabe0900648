/**
 * Compares histories of shop with their truth, and exits with 1 if 95 % intervals contain it too
 * rarely or too often.
 */
import { parseArgs } from "node:util";
import { compareHistory, coverageOf, wrongEffects } from "../test/commands/truth/coverage.ts";
import { openTestEngine } from "../test/support/engine.ts";

const HELP = `Usage: node scripts/truth-coverage.ts [--seeds N] [--days N]

  --seeds N   number of histories (default 20)
  --days N    model days of each (default 7)
  --help      print this text`;

/** Allowed share of 95 % intervals over all effects and 20 seeds. */
const [LEAST, MOST] = [0.9, 0.99];

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    days: { type: "string", default: "7" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(HELP);
else await measure(Number(values.seeds), Number(values.days));

async function measure(seeds: number, days: number): Promise<void> {
  await using engine = await openTestEngine();
  const histories = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const comparisons = await compareHistory(engine, `coverage ${seed}`, days);
    histories.push(comparisons);
    console.log(`seed ${seed}: ${percent(coverageOf([comparisons]).share)}`);
  }
  const coverage = coverageOf(histories);
  const { inside, intervals, share, deviation } = coverage;
  console.log(`${inside} of ${intervals} intervals contain the truth: ${percent(share)}`);
  console.log(`deviation between seeds: ${percent(deviation)}`);
  const wrong = wrongEffects(coverage);
  for (const line of wrong) console.error(line);
  if (share < LEAST || share > MOST || wrong.length > 0) process.exitCode = 1;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
