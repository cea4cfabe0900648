import { type Command, Option } from "commander";
import { UserError } from "../../contract/errors.ts";
import { readStandName } from "../../generator/service/settings.ts";
import { type GeneratorAddress, readStatus, sendControl, untilDone } from "../generator/client.ts";
import { formatCount } from "../terminal/format.ts";
import { startProgress } from "../terminal/progress.ts";
import { withBroker } from "./broker.ts";
import { jsonOption, positiveNumber, printJson, printLine } from "./options.ts";

interface GeneratorOptions {
  readonly url: string;
  readonly json?: true;
  readonly tEnd?: string;
  readonly dataset?: string;
  readonly wait?: number;
  readonly yes?: true;
}

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

  add("status", "Print what it is doing").action(status);
  add("pause", "Stop after the batch under way").action(simple("pause"));
  addWait("resume", "Go on with what was paused").action(simple("resume"));
  addWait("live", "Follow the clock, from T0 or from where the stand ends").action(simple("live"));
  addWait("continue", "Go live from the end of the history").action(simple("continue"));
  addWait("backfill", "Write the history up to an end")
    .option("--t-end <instant>", "end of the history; default GEN_MODEL_T_END of the generator")
    .action((options: GeneratorOptions) =>
      send({ operation: "backfill", ...endOf(options) }, options),
    );
  addWait("import", "Publish a stored data set as the history")
    .option("--dataset <dir>", "folder as the generator sees it; default its GEN_DATA_DIR")
    .action((options: GeneratorOptions) =>
      send(
        { operation: "import", ...(options.dataset ? { dataset: options.dataset } : {}) },
        options,
      ),
    );
  addWait("clean-start", "Remove topics, state and layers; then backfill and live")
    .option("--t-end <instant>", "end of the history; default GEN_MODEL_T_END of the generator")
    .option("--yes", "agree to the loss of what is there")
    .action(cleanStartCommand);
  add("dry-run", "Tell what an operation would do, without doing it")
    .argument("<operation>", "live, continue, backfill, import or clean_start")
    .option("--t-end <instant>", "as for the operation")
    .action((of: string, options: GeneratorOptions) =>
      send({ operation: "dry_run", of, ...endOf(options) }, options),
    );
}

const endOf = ({ tEnd }: GeneratorOptions) => (tEnd ? { t_end: tEnd } : {});

const addressOf = ({ url }: GeneratorOptions): GeneratorAddress => ({
  url,
  token: process.env.CONTROL_TOKEN,
});

const simple = (operation: string) => (options: GeneratorOptions) => send({ operation }, options);

async function status(options: GeneratorOptions): Promise<void> {
  const found = await readStatus(addressOf(options));
  if (options.json) return printJson(found);
  const { state, model, batches } = found;
  printLine(`${state.kind}${state.step ? ` (${state.step})` : ""}: ${state.reason}`);
  printLine(`${formatCount(batches)} batches, model time ${model?.model_time ?? "not begun"}`);
}

async function send(request: object, options: GeneratorOptions): Promise<void> {
  await report(await sendControl(addressOf(options), request), options);
}

async function report(answer: Record<string, unknown>, options: GeneratorOptions): Promise<void> {
  if (options.wait !== undefined && answer.done !== true) {
    const progress = startProgress("generator");
    await untilDone(addressOf(options), options.wait, (found) =>
      progress.update(found.progress ?? 0, found.model?.model_time ?? ""),
    ).finally(() => progress.stop());
  }
  if (options.json) printJson(answer);
  else {
    const { operation, reason, steps, decision, state } = answer;
    printLine(`${operation}: ${reason ?? JSON.stringify(decision ?? state ?? steps)}`);
  }
}

async function cleanStartCommand(options: GeneratorOptions): Promise<void> {
  if (!options.yes) {
    throw new UserError(
      `A clean start removes all messages, the state and every layer of stand ${readStandName(process.env)}.`,
      "pipeline generator clean-start --yes",
    );
  }
  const { cleanStart } = await import("../generator/clean-start.ts");
  const answer = await withBroker(undefined, process.env.CLICKHOUSE_URL, ({ admin, database }) =>
    cleanStart({
      admin,
      database,
      generator: addressOf(options),
      tEnd: options.tEnd,
      onStep: (what) => process.stderr.write(`${what}\n`),
    }),
  );
  await report(answer, options);
}
