import { type Command, InvalidArgumentError, Option } from "commander";
import { SchedulerClient, type TaskInstance } from "../airflow/api-client.ts";
import { failuresOf, retryWhileUnavailable, waitForDag, watchRun } from "../airflow/watch-run.ts";
import { callable } from "../contract/command-call.ts";
import { UserError } from "../contract/errors.ts";
import { readSecret } from "../contract/secret.ts";
import { formatSeconds, renderTable } from "../terminal/format.ts";
import { printLine } from "../terminal/print.ts";
import { positiveNumber } from "./options.ts";

interface DagOptions {
  readonly url: string;
  readonly param?: Readonly<Record<string, unknown>>;
  readonly wait?: number | true;
}

const DEFAULT_WAIT_SECONDS = 6 * 60 * 60;

export function registerDag(program: Command): void {
  const dag = program
    .command("dag")
    .description("Run Airflow DAGs; needs AIRFLOW_USER and AIRFLOW_PASSWORD");
  const add = (name: string, about: string) =>
    dag
      .command(name)
      .description(about)
      .addOption(
        new Option("--url <url>", "address of Airflow's API server")
          .env("AIRFLOW_URL")
          .default("http://127.0.0.1:8080"),
      );
  add("list", "List the DAGs and whether they are paused").action(list);
  add("run", "Start a run")
    .argument("<name>", "id of the DAG")
    .addOption(
      new Option("--param <key=value>", "run parameter; repeat the option for several").argParser(
        collectParam,
      ),
    )
    .option("--wait [seconds]", "watch until the run ends; fails if the run fails", positiveNumber)
    .action(run);
  add("follow", "Watch a run until it ends; fails if the run fails")
    .argument("<name>", "id of the DAG")
    .argument("<run>", "id of the run, as printed by dag run")
    .option("--wait [seconds]", "how long to watch", positiveNumber)
    .action((name: string, id: string, options: DagOptions) =>
      follow(clientOf(options), name, id, options.wait),
    );
  add("pause", "Pause a DAG: no new task starts")
    .argument("<name>", "id of the DAG")
    .action((name: string, options: DagOptions) => setPaused(name, true, options));
  add("unpause", "Unpause a DAG: waiting and future runs start")
    .argument("<name>", "id of the DAG")
    .action((name: string, options: DagOptions) => setPaused(name, false, options));
}

const clientOf = ({ url }: DagOptions): SchedulerClient =>
  new SchedulerClient({
    url,
    user: process.env.AIRFLOW_USER ?? "admin",
    password: readSecret(process.env, "AIRFLOW_PASSWORD") ?? "",
  });

/** Collects a parameter. A number that does not round-trip stays text: a seed keeps its digits. */
export function collectParam(
  text: string,
  previous: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const [, key, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new InvalidArgumentError("Allowed: key=value, such as full_refresh=false");
  }
  return { ...previous, [key]: readValue(value) };
}

function readValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" && String(value) !== text ? text : value;
  } catch {
    return text;
  }
}

async function list(options: DagOptions): Promise<void> {
  const dags = await clientOf(options).dags();
  const rows = dags.map((one) => [
    one.dag_id,
    one.is_paused ? "paused" : "on",
    one.description ?? "",
  ]);
  printLine(renderTable(["DAG", "state", "description"], rows));
}

async function setPaused(name: string, isPaused: boolean, options: DagOptions): Promise<void> {
  const client = clientOf(options);
  await waitForDag(client, name);
  await client.setPaused(name, isPaused);
  printLine(`${name} is ${isPaused ? "paused" : "on"}.`);
}

async function run(name: string, options: DagOptions): Promise<void> {
  const client = clientOf(options);
  await waitForDag(client, name);
  const { dag_run_id: id } = await client.trigger(name, options.param ?? {});
  printLine(`${name}: run ${id}`);
  const ask = () => client.isPaused(name);
  if (await retryWhileUnavailable(ask, name, id, { onSilence: printLine }))
    printLine(callable(`The DAG is paused. To start the run: pipeline dag unpause ${name}`));
  if (options.wait === undefined) return;
  await follow(client, name, id, options.wait);
}

async function follow(
  client: SchedulerClient,
  name: string,
  id: string,
  wait: DagOptions["wait"],
): Promise<void> {
  const ended = await watchRun(client, name, id, {
    withinSeconds: typeof wait === "number" ? wait : DEFAULT_WAIT_SECONDS,
    onTask: (task) => printLine(taskLine(task)),
    onSilence: printLine,
  });
  const readNotes = () => client.notes(name, id);
  const notes = await retryWhileUnavailable(readNotes, name, id, { onSilence: printLine });
  for (const note of notes) printLine(callable(note));
  if (ended.state === "success") return printLine(`${name}: success`);
  const failures = await failuresOf(client, name, id, { onSilence: printLine });
  for (const { task, words } of failures) printLine(`\n${task} failed: ${words}`);
  throw new UserError(`${name} failed: ${failures.map(({ task }) => task).join(", ")}`);
}

const taskLine = ({ task_id, state, try_number, duration }: TaskInstance): string => {
  const again = try_number > 1 ? ` (try ${try_number})` : "";
  const time = duration === null || state === "running" ? "" : formatSeconds(duration);
  return `  ${task_id.padEnd(22)} ${`${state}${again}`.padEnd(18)} ${time}`.trimEnd();
};
