import { Argument, type Command, Option } from "commander";
import { UserError } from "../contract/errors.ts";
import type { Manifest } from "../contract/manifest.ts";
import { readSecret } from "../contract/secret.ts";
import {
  type GeneratorAddress,
  type GeneratorStatus,
  readStatus,
  sendControl,
  untilDone,
} from "../generator/client/http-client.ts";
import { OPERATIONS } from "../generator/operations/request.ts";
import { readInstanceName } from "../generator/service/settings.ts";
import { formatCount } from "../terminal/format.ts";
import { startProgress } from "../terminal/progress.ts";
import { withBroker } from "./broker.ts";
import {
  type DatabaseOption,
  databaseOption,
  jsonOption,
  positiveNumber,
  printJson,
  printLine,
} from "./options.ts";

interface GeneratorOptions {
  readonly url: string;
  readonly json?: true;
  readonly tEnd?: string;
  readonly seed?: string;
  readonly speed?: number;
  readonly dataset?: string;
  readonly wait?: number;
  readonly acceptPause?: true;
  readonly acceptRunning?: true;
  readonly yes?: true;
  readonly require?: true;
}

const DATASET = "folder of an import as the generator sees it; default its GEN_DATA_DIR";

export function registerGenerator(program: Command): void {
  const generator = program
    .command("generator")
    .description("Ask the running generator for something; CONTROL_TOKEN authorises");
  const add = (name: string, about: string) =>
    generator
      .command(name)
      .description(about)
      .addOption(
        new Option("--url <url>", "address of the generator")
          .env("GENERATOR_URL")
          .default("http://127.0.0.1:9109"),
      )
      .addOption(jsonOption());
  const addWait = (name: string, about: string) =>
    add(name, about).option("--wait <seconds>", "until it is live or done", positiveNumber);

  addWait("status", "Print what it is doing")
    .option("--accept-pause", "with --wait: until it is paused or on standby, too")
    .option("--accept-running", "with --wait: until its operation runs, too")
    .action(status);
  add("manifest", "Print the manifest of its finished history, as the broker has it").action(
    manifest,
  );
  add("report", "Print manifest and ledger of its history; fails if a message is missing")
    .addOption(databaseOption())
    .action(report);
  add("pause", "Stop after the batch under way").action(simple("pause"));
  addWait("resume", "Go on with what was paused").action(simple("resume"));
  addWait("live", "Follow the clock, from T0 or from where the instance ends").action(
    simple("live"),
  );
  addWait("continue", "Go live from the end of the history").action(simple("continue"));
  addHistory(addWait("backfill", "Write the history up to an end")).action(
    (options: GeneratorOptions) => send({ operation: "backfill", ...historyOf(options) }, options),
  );
  addWait("import", "Publish a stored data set as the history")
    .option("--dataset <dir>", DATASET)
    .action((options: GeneratorOptions) =>
      send({ operation: "import", ...datasetOf(options) }, options),
    );
  addHistory(addWait("clean-start", "Remove topics, state and layers; then backfill and live"))
    .option("--yes", "agree to the loss of what is there; without it only where nothing is there")
    .action(cleanStartCommand);
  addHistory(add("dry-run", "Tell what an operation would do, without doing it"))
    .addArgument(new Argument("<operation>", "what it would be asked for").choices(OPERATIONS))
    .option("--dataset <dir>", DATASET)
    .option("--require", "fail, with the hint, where it would be refused")
    .option("--yes", "as if the loss of what is there were agreed to")
    .action(dryRun);
}

const addHistory = (command: Command): Command =>
  command
    .option("--t-end <instant>", "end of the history; default GEN_MODEL_T_END of the generator")
    .option("--seed <text>", "seed of a new history, kept with it; default GEN_SEED")
    .option(
      "--speed <number>",
      "model seconds per second of a new history, kept with it",
      positiveNumber,
    );

const historyOf = ({ tEnd, seed, speed }: GeneratorOptions) => ({
  ...(tEnd ? { t_end: tEnd } : {}),
  ...(seed ? { seed } : {}),
  ...(speed === undefined ? {} : { speed }),
});

const addressOf = ({ url }: GeneratorOptions): GeneratorAddress => ({
  url,
  token: readSecret(process.env, "CONTROL_TOKEN"),
});

const datasetOf = ({ dataset }: GeneratorOptions) => (dataset ? { dataset } : {});

const simple = (operation: string) => (options: GeneratorOptions) => send({ operation }, options);

async function status(options: GeneratorOptions): Promise<void> {
  const address = addressOf(options);
  const found = options.wait
    ? await look(address, options.wait, acceptedBy(options))
    : await readStatus(address);
  if (options.json) return printJson(found);
  const { state, model, batches } = found;
  printLine(`${state.kind}${state.step ? ` (${state.step})` : ""}: ${state.reason}`);
  printLine(`${formatCount(batches)} batches, model time ${model?.model_time ?? "not begun"}`);
}

async function manifest(options: GeneratorOptions): Promise<void> {
  const found = await manifestOf(options);
  if (options.json) return printJson(found);
  const { t0, t_end: tEnd, seed, checksum } = found;
  printLine(`[${t0}, ${tEnd}) with seed ${seed}, checksum ${checksum}`);
}

/** @throws UserError while there is no finished history */
async function manifestOf(options: GeneratorOptions): Promise<Manifest> {
  const { instance } = await readStatus(addressOf(options));
  const { readManifest } = await import("../generator/client/manifest.ts");
  return withBroker(undefined, undefined, ({ admin }) => readManifest(admin, instance));
}

async function report(options: GeneratorOptions & DatabaseOption): Promise<void> {
  const { reportHistory } = await import("./generator-report.ts");
  await reportHistory(await manifestOf(options), options);
}

async function send(request: object, options: GeneratorOptions): Promise<void> {
  await tell(await sendControl(addressOf(options), request), options);
}

const acceptedBy = ({ acceptPause, acceptRunning }: GeneratorOptions): string[] => [
  ...(acceptPause ? ["paused", "standby"] : []),
  ...(acceptRunning ? ["running"] : []),
];

/** Waits, with progress, until it is live or done. */
async function look(
  address: GeneratorAddress,
  seconds: number,
  accepts: readonly string[] = [],
): Promise<GeneratorStatus> {
  const progress = startProgress("generator");
  return untilDone(address, {
    withinSeconds: seconds,
    accepts,
    onStatus: ({ progress: share, model }) => progress.update(share ?? 0, model?.model_time ?? ""),
  }).finally(() => progress.stop());
}

async function tell(answer: Record<string, unknown>, options: GeneratorOptions): Promise<void> {
  if (options.wait !== undefined && answer.done !== true) {
    await look(addressOf(options), options.wait);
  }
  if (options.json) printJson(answer);
  else {
    const { operation, reason, steps, decision, state } = answer;
    printLine(`${operation}: ${reason ?? JSON.stringify(decision ?? state ?? steps)}`);
  }
}

async function dryRun(of: string, options: GeneratorOptions): Promise<void> {
  const confirm = options.yes ? { confirm: readInstanceName(process.env) } : {};
  const request = {
    operation: "dry_run",
    of,
    ...historyOf(options),
    ...datasetOf(options),
    ...confirm,
  };
  const answer = await sendControl(addressOf(options), request);
  const decision = answer.decision as { action: string; reason: string; hint?: string };
  if (options.require && decision.action === "refuse") {
    throw new UserError(decision.reason, decision.hint);
  }
  await tell(answer, options);
}

async function cleanStartCommand(options: GeneratorOptions): Promise<void> {
  const { cleanStart } = await import("../warehouse/epochs/clean-start.ts");
  const answer = await withBroker(undefined, process.env.CLICKHOUSE_URL, ({ admin, database }) =>
    cleanStart({
      admin,
      database,
      generator: addressOf(options),
      history: historyOf(options),
      isAgreed: options.yes === true,
      onStep: (what) => process.stderr.write(`${what}\n`),
    }),
  );
  await tell(answer, options);
}
