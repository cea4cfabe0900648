import { join } from "node:path";
import { type Command, Option } from "commander";
import { requireWritable } from "../contract/files.ts";
import { DAY, isoMicros } from "../contract/time.ts";
import { type GeneratorConfig, parseConfig } from "../generator/config.ts";
import { scaledSettings } from "../generator/scenario/settings.ts";
import { BEHAVIOURS, type BehaviourName } from "../generator/variables.ts";
import { formatCount, formatNumber } from "../terminal/format.ts";
import { commandOn } from "../warehouse/database/command.ts";
import { stateRoot } from "../warehouse/database/workspace.ts";
import { runHistory } from "./history-run.ts";
import { nonEmpty, numberBetween, printLine, wholeNumber } from "./options.ts";

const DEFAULT_DIRECTORY = join(stateRoot(), "demo");
export const DEMO_DEFAULTS = {
  days: 7,
  seed: "1",
  rate: 30,
  behaviour: "shop",
} as const;
/** Page events per model minute; a higher rate would exceed GEN_MAX_ACTIVE_SESSIONS's bound. */
const RATES = numberBetween(0.001, 150_000);
const DEMO_T0 = "2026-01-01T00:00:00Z";

interface DemoOptions {
  readonly days: number;
  readonly seed: string;
  readonly rate: number;
  readonly behaviour: BehaviourName;
  readonly database: string;
  readonly report: string;
}

export function registerDemo(program: Command): void {
  program
    .command("demo")
    .description("Run the whole pipeline on the embedded engine: no Docker, no broker")
    .option("--days <n>", "model days of history", wholeNumber(1, 3650), DEMO_DEFAULTS.days)
    .option(
      "--seed <text>",
      "seed of the generator: same seed, same bytes",
      nonEmpty,
      DEMO_DEFAULTS.seed,
    )
    .option("--rate <n>", "page events per model minute", RATES, DEMO_DEFAULTS.rate)
    .addOption(
      new Option("--behaviour <name>", "all visitors alike, or differences with known answers")
        .choices(BEHAVIOURS)
        .default(DEMO_DEFAULTS.behaviour),
    )
    .addOption(
      new Option("--database <dir>", "data directory; an earlier demo in it is replaced")
        .argParser(nonEmpty)
        .default(DEFAULT_DIRECTORY, ".state/demo"),
    )
    .option("--report <file>", "file of the report", "report.html")
    .action(demo);
}

async function demo(options: DemoOptions): Promise<void> {
  const config = demoConfig(options);
  requireWritable(options.report, `--report ${options.report}`);
  printLine(
    `${formatNumber(options.days, "model day")} from ${isoMicros(config.t0)}, ${formatNumber(options.rate, "page event")} per minute, seed ${options.seed}, behaviour ${options.behaviour}`,
  );
  warnOfLength(options);
  const { database, report } = options;
  const again =
    database === DEFAULT_DIRECTORY ? "make demo" : commandOn({ directory: database }, "demo");
  await runHistory(config, { database, report, command: "demo", again, next: () => NEXT });
}

const NEXT = `Explore this data:
  make play                     SQL console in the browser
  npm run pipeline -- follow    one session through all layers
  npm run pipeline -- prove     reconcile every message`;

/** Page events per second on a small machine, from generation to report. */
const SPEED = 25_000;
const LONG_SECONDS = 120;

function warnOfLength({ days, rate }: DemoOptions): void {
  const events = days * 1440 * rate;
  const seconds = events / SPEED;
  if (seconds < LONG_SECONDS) return;
  process.stderr.write(
    `warning: about ${formatCount(Math.round(events / 1e6))} million page events, about ${formatCount(Math.round(seconds / 60))} minutes on a small machine. Press Ctrl+C to stop. hint: --days 30 (DAYS=30) takes less time\n`,
  );
}

export function demoConfig({
  days,
  seed,
  rate,
  behaviour,
}: Pick<DemoOptions, "days" | "seed" | "rate" | "behaviour">): GeneratorConfig {
  return parseConfig({
    ...scaledSettings(rate),
    GEN_RUN_MODE: "backfill",
    GEN_SEED: seed,
    GEN_BEHAVIOUR: behaviour,
    GEN_MODEL_T0: DEMO_T0,
    GEN_MODEL_T_END: isoMicros(Date.parse(DEMO_T0) * 1000 + days * DAY),
  });
}
