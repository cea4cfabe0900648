import { Argument, type Command, Option } from "commander";
import { UserError, withHint } from "../contract/errors.ts";
import type { Manifest } from "../contract/manifest.ts";
import { readSecret } from "../contract/secret.ts";
import {
  type GeneratorAddress,
  type GeneratorStatus,
  readStatus,
  sendControl,
  waitForOperation,
} from "../generator/client/http-client.ts";
import { OPERATIONS, type Operation } from "../generator/operations/decision.ts";
import { readInstanceName } from "../generator/operations/instance-name.ts";
import { formatCount } from "../terminal/format.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { type Progress, startProgress } from "../terminal/progress.ts";
import type { Reconciliation } from "../warehouse/reconciliation/reconciliation.ts";
import {
  type DatabaseOption,
  databaseOption,
  jsonOption,
  positiveNumber,
  wholeNumber,
  withBroker,
  withDatabase,
} from "./options.ts";

interface GeneratorOptions {
  readonly url: string;
  readonly json?: true;
  readonly tEnd?: string;
  readonly seed?: string;
  readonly speed?: number;
  readonly maxEvents?: number;
  readonly dataset?: string;
  readonly wait?: number;
  readonly acceptPause?: true;
  readonly acceptRunning?: true;
  readonly yes?: true;
  readonly require?: true;
}

const DATASET = "folder of an import, as seen by the generator; default: its GEN_DATA_DIR";

export function registerGenerator(program: Command): void {
  const generator = program
    .command("generator")
    .description("Control the running generator; needs CONTROL_TOKEN");
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
    add(name, about).option(
      "--wait <seconds>",
      "wait until the generator is live or done",
      positiveNumber,
    );

  generator
    .command("check-settings")
    .description(
      "Compare GEN_* with the stored state; fails if the stored history cannot continue with them",
    )
    .addOption(jsonOption())
    .action(checkSettings);
  addWait("status", "Print the generator's state")
    .option("--accept-pause", "with --wait: also accept the states paused and standby")
    .option("--accept-running", "with --wait: also accept a running operation")
    .action(status);
  add("manifest", "Print the manifest of the generator's finished history").action(manifest);
  add("report", "Print manifest and reconciliation of the history; fails if a message is missing")
    .addOption(databaseOption())
    .action(report);
  add("pause", "Pause after the current batch").action(simple("pause"));
  addWait("resume", "Resume after a pause").action(simple("resume"));
  addWait("live", "Go live from T0, or from the end of the instance's data").action(simple("live"));
  addWait("continue", "Go live from the end of the history").action(simple("continue"));
  addHistory(addWait("backfill", "Publish the history up to --t-end")).action(
    (options: GeneratorOptions) => send({ operation: "backfill", ...historyOf(options) }, options),
  );
  addWait("import", "Publish a stored dataset as the history")
    .option("--dataset <dir>", DATASET)
    .action((options: GeneratorOptions) =>
      send({ operation: "import", ...datasetOf(options) }, options),
    );
  addHistory(addWait("clean-start", "Delete topics, state and layers; then backfill and go live"))
    .option("--yes", "confirm that existing data is deleted; needed only if there is any")
    .action(cleanStartCommand);
  addHistory(add("dry-run", "Show what an operation would do, without doing it"))
    .addArgument(new Argument("<operation>", "operation to check").choices(OPERATIONS))
    .option("--dataset <dir>", DATASET)
    .option("--require", "fail with the hint if the operation would be refused")
    .option("--yes", "assume that the deletion of existing data is confirmed")
    .action(dryRun);
}

const addHistory = (command: Command): Command =>
  command
    .option("--t-end <instant>", "end of the history; default: GEN_MODEL_T_END of the generator")
    .option("--seed <text>", "seed of a new history, stored with it; default: GEN_SEED")
    .option(
      "--speed <number>",
      "model seconds per wall-clock second of a new history, stored with it",
      positiveNumber,
    )
    .option(
      "--max-events <number>",
      "largest history, in expected page events; default: GEN_MAX_BACKFILL_EVENTS of the generator",
      wholeNumber(1),
    );

const historyOf = ({ tEnd, seed, speed, maxEvents }: GeneratorOptions) => ({
  ...(tEnd ? { t_end: tEnd } : {}),
  ...(seed ? { seed } : {}),
  ...(speed === undefined ? {} : { speed }),
  ...(maxEvents === undefined ? {} : { max_events: maxEvents }),
});

const addressOf = ({ url }: GeneratorOptions): GeneratorAddress => ({
  url,
  token: readSecret(process.env, "CONTROL_TOKEN"),
});

const datasetOf = ({ dataset }: GeneratorOptions) => (dataset ? { dataset } : {});

const simple = (operation: string) => (options: GeneratorOptions) => send({ operation }, options);

/** Prints changes and refusal. With --json a refusal is part of the answer. @throws UserError */
async function checkSettings({ json }: Pick<GeneratorOptions, "json">): Promise<void> {
  const { compareStoredSettings } = await import("../generator/operations/stored-settings.ts");
  const { isTransient } = await import("../kafka/errors.ts");
  try {
    const changes = await withBroker(undefined, undefined, ({ admin }) =>
      compareStoredSettings(admin, process.env),
    );
    if (json) printJson({ changes });
    else for (const line of changes) printLine(line);
  } catch (error) {
    if (!json || !(error instanceof UserError)) throw error;
    const isUnreachable = error.cause !== undefined && isTransient(error.cause);
    // A broker that does not run has no state to compare with; the generator checks at its start.
    printJson(isUnreachable ? { changes: [] } : { changes: [], refusal: withHint(error) });
  }
}

async function status(options: GeneratorOptions): Promise<void> {
  const address = addressOf(options);
  const found = options.wait
    ? await waitFor(address, options.wait, { accepts: acceptedBy(options), announces: true })
    : await readStatus(address);
  if (options.json) return printJson(found);
  const { state, model, batches } = found;
  printLine(`${state.kind}${state.step ? ` (${state.step})` : ""}: ${state.reason}`);
  printLine(`${formatCount(batches)} batches, model time ${model?.model_time ?? "not started"}`);
}

async function manifest(options: GeneratorOptions): Promise<void> {
  const found = await manifestOf(options);
  if (options.json) return printJson(found);
  const { t0, t_end: tEnd, seed, checksum } = found;
  printLine(`[${t0}, ${tEnd}) with seed ${seed}, checksum ${checksum}`);
}

async function manifestOf(options: GeneratorOptions): Promise<Manifest> {
  const { instance } = await readStatus(addressOf(options));
  const { readManifest } = await import("../kafka/sources.ts");
  return withBroker(undefined, undefined, ({ admin }) => readManifest(admin, instance));
}

async function send(request: object, options: GeneratorOptions): Promise<void> {
  await printAnswer(await sendControl(addressOf(options), request), options);
}

const acceptedBy = ({ acceptPause, acceptRunning }: GeneratorOptions): string[] => [
  ...(acceptPause ? ["paused", "standby"] : []),
  ...(acceptRunning ? ["running"] : []),
];

interface Waiting {
  readonly accepts?: readonly string[];
  /** True to print what is written, such as the size of a history, before it is done. */
  readonly announces?: boolean;
}

async function waitFor(
  address: GeneratorAddress,
  seconds: number,
  { accepts = [], announces = false }: Waiting = {},
): Promise<GeneratorStatus> {
  let progress: Progress | undefined;
  return waitForOperation(address, {
    withinSeconds: seconds,
    accepts,
    onStatus({ state: { kind, operation, step, reason }, progress: share, model }) {
      if (kind !== "running") return;
      const isNew = progress === undefined && step !== "live";
      if (announces && isNew) process.stderr.write(`${operation}: ${reason}\n`);
      progress ??= startProgress("generator");
      progress.update(share ?? 0, model?.model_time ?? "");
    },
  }).finally(() => progress?.stop());
}

async function printAnswer(
  answer: Record<string, unknown>,
  options: GeneratorOptions,
): Promise<void> {
  const { operation, reason, steps, decision, state } = answer;
  if (!options.json) {
    printLine(`${operation}: ${reason ?? JSON.stringify(decision ?? state ?? steps)}`);
  }
  if (options.wait !== undefined && answer.done !== true) {
    await waitFor(addressOf(options), options.wait);
  }
  if (options.json) printJson(answer);
}

async function dryRun(of: Operation, options: GeneratorOptions): Promise<void> {
  const request = {
    operation: "dry_run",
    of,
    ...historyOf(options),
    ...datasetOf(options),
    ...(options.yes ? { confirm: readInstanceName(process.env) } : {}),
  };
  const { decision } = (await sendControl(addressOf(options), request)) as { decision: Considered };
  if (options.require && decision.action === "refuse") {
    throw new UserError(decision.reason, decision.hint);
  }
  await printAnswer({ operation: "dry_run", of, decision }, options);
}

interface Considered {
  readonly action: string;
  readonly reason: string;
  readonly hint?: string;
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
  await printAnswer(answer, options);
}

/** Reports text to stderr and JSON to stdout. @throws UserError when a message is missing */
async function report(options: GeneratorOptions & DatabaseOption): Promise<void> {
  // These imports are dynamic, because only this command needs the reconciliation.
  const { proveWith } = await import("./prove.ts");
  const { renderReconciliation } = await import("../warehouse/reconciliation/render.ts");
  const { requireNothingLost } = await import("../warehouse/reconciliation/requirements.ts");
  const manifest = await manifestOf(options);
  const reconciliation = await withDatabase(options, (db) =>
    proveWith(db, process.env.KAFKA_BOOTSTRAP_SERVERS),
  );
  process.stderr.write(
    `${wordsOf(manifest, reconciliation, renderReconciliation(reconciliation))}\n`,
  );
  if (options.json) printJson({ manifest, reconciliation });
  requireSameHistory(manifest, reconciliation);
  requireNothingLost(reconciliation);
}

const wordsOf = (
  { checksum, t0, t_end, seed, counts }: Manifest,
  { unaccounted }: Reconciliation,
  table: string,
): string =>
  [
    `manifest: checksum ${checksum}`,
    `manifest: [${t0}, ${t_end}) with seed ${seed}, messages ${JSON.stringify(counts)}`,
    table,
    `reconciliation: ${unaccounted} messages unaccounted for`,
  ].join("\n");

/** Compares checksums; with several publishers, the reconciliation has no single checksum to compare. */
function requireSameHistory({ checksum }: Manifest, reconciliation: Reconciliation): void {
  if (reconciliation.checksum === null || reconciliation.checksum === checksum) return;
  throw new UserError(
    `The history changed during the report: the manifest has checksum ${checksum}, the reconciliation ${reconciliation.checksum}`,
    "run pipeline generator report again",
  );
}
