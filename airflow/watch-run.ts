import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../contract/errors.ts";
import {
  type DagRun,
  type LogEntry,
  type SchedulerClient,
  SchedulerUnavailable,
  type TaskInstance,
} from "./api-client.ts";

export interface WatchOptions {
  /** Time limit, seconds. */
  readonly withinSeconds: number;
  readonly onTask: (task: TaskInstance) => void;
  /** Called when the scheduler stops answering, and when it answers again. */
  readonly onSilence?: (words: string) => void;
  /** Maximum time without an answer from the scheduler, ms. */
  readonly silenceMs?: number;
  readonly pollMs?: number;
}

type RunReader = Pick<SchedulerClient, "run" | "tasks">;

const POLL_MS = 1_000;
/** Maximum silence, ms; a restart of the API server takes 30 s, longer on a busy machine. */
const SILENCE_MS = 180_000;

/** Waits for the end of a run. @throws UserError if the run or Airflow's silence lasts too long */
export async function watchRun(
  client: RunReader,
  dag: string,
  runId: string,
  options: WatchOptions,
): Promise<DagRun> {
  const { withinSeconds, onTask, pollMs = POLL_MS } = options;
  const reported = new Map<string, string>();
  const look = async () => {
    // Reads the run before the tasks, so that task states are not older than the run's state.
    const run = await client.run(dag, runId);
    return { run, tasks: await client.tasks(dag, runId) };
  };
  for (const deadline = Date.now() + withinSeconds * 1000; ; await sleep(pollMs)) {
    const retry = { ...options, deadline };
    const { run, tasks } = await retryWhileUnavailable(look, dag, runId, retry);
    for (const task of inOrder(tasks)) {
      const now = `${task.state} ${task.try_number}`;
      if (task.state === null || reported.get(task.task_id) === now) continue;
      reported.set(task.task_id, now);
      onTask(task);
    }
    if (run.state === "success" || run.state === "failed") return run;
    if (Date.now() > deadline) {
      throw new UserError(
        `${dag} is still ${run.state} after ${withinSeconds} s; the run ${runId} continues`,
        `run pipeline dag follow ${dag} ${runId} to watch the run (pipeline dag list shows paused DAGs, whose runs wait)`,
      );
    }
  }
}

export type RetryOptions = Pick<WatchOptions, "onSilence" | "silenceMs" | "pollMs">;

/** Repeats a request while Airflow does not answer. @throws UserError if that lasts too long */
export async function retryWhileUnavailable<T>(
  ask: () => Promise<T>,
  dag: string,
  runId: string,
  {
    onSilence = () => undefined,
    silenceMs = SILENCE_MS,
    pollMs = POLL_MS,
    deadline = Number.POSITIVE_INFINITY,
  }: RetryOptions & { readonly deadline?: number } = {},
): Promise<T> {
  const since = Date.now();
  for (let failures = 0; ; failures += 1, await sleep(pollMs)) {
    try {
      const answer = await ask();
      if (failures > 0) onSilence("The scheduler answers again.");
      return answer;
    } catch (error) {
      if (!(error instanceof SchedulerUnavailable)) throw error;
      if (failures === 0) onSilence(`${error.message}. Retrying; runs continue.`);
      if (Date.now() - since > silenceMs || Date.now() > deadline) {
        throw gaveUp(error, dag, runId, since);
      }
    }
  }
}

const gaveUp = (
  error: SchedulerUnavailable,
  dag: string,
  runId: string,
  since: number,
): UserError =>
  new UserError(
    `${error.message}, for ${Math.round((Date.now() - since) / 1000)} s. The result of ${dag} is unknown; the run ${runId} may continue`,
    `${error.hint}; then run pipeline dag follow ${dag} ${runId} to watch the run`,
  );

const READING_MS = 60_000;
/** Number of lists without the DAG after which the name counts as misspelt. */
const MISSING_READS = 4;

/** Waits until Airflow lists the DAG, for at most a minute. */
export async function waitForDag(
  client: Pick<SchedulerClient, "dags">,
  dag: string,
  everyMs = POLL_MS,
): Promise<void> {
  let still = 0;
  let latest = 0;
  for (const deadline = Date.now() + READING_MS; Date.now() < deadline; await sleep(everyMs)) {
    const known = await client.dags();
    if (known.some(({ dag_id }) => dag_id === dag)) return;
    still = known.length === latest && known.length > 0 ? still + 1 : 0;
    if (still === MISSING_READS) return;
    latest = known.length;
  }
}

const inOrder = (tasks: readonly TaskInstance[]): TaskInstance[] =>
  [...tasks].sort((a, b) => (a.start_date ?? "9").localeCompare(b.start_date ?? "9"));

export function failuresOf(
  client: Pick<SchedulerClient, "tasks" | "log">,
  dag: string,
  runId: string,
  options: RetryOptions = {},
): Promise<{ task: string; words: string }[]> {
  const read = async () => {
    const tasks = await client.tasks(dag, runId);
    const failed = tasks.filter(({ state }) => state === "failed");
    const wordsOf = async (task: TaskInstance) => ({
      task: task.task_id,
      words: causeOf(await client.log(dag, runId, task)),
    });
    return Promise.all(failed.map(wordsOf));
  };
  return retryWhileUnavailable(read, dag, runId, options);
}

/** Returns the text of the last exception in a log, else of the last error. */
export function causeOf(log: readonly LogEntry[]): string {
  const raised = log.findLast(({ error_detail }) => error_detail?.length)?.error_detail?.[0];
  const error = log.findLast(({ level }) => level === "error" || level === "critical");
  return raised?.exc_value ?? error?.event ?? "no error in the log";
}
