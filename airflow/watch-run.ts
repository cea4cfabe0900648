import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../contract/errors.ts";
import {
  type DagRun,
  SchedulerAway,
  type SchedulerClient,
  type TaskInstance,
} from "./api-client.ts";

export interface FollowOptions {
  /** Longest time to wait, seconds. */
  readonly withinSeconds: number;
  /** Called with every change of a task's state. */
  readonly onTask: (task: TaskInstance) => void;
  /** Called when the scheduler stops answering, and when it answers again. */
  readonly onSilence?: (words: string) => void;
  /** Longest that the scheduler may be silent, and how often it is asked, ms. */
  readonly silenceMs?: number;
  readonly lookEveryMs?: number;
}

type Asked = Pick<SchedulerClient, "run" | "tasks">;

const LOOK_EVERY_MS = 1_000;
/** A web server takes half a minute to restart; on a busy machine longer. */
const SILENCE_MS = 180_000;

/**
 * Looks on until a run has ended. A scheduler that does not answer for a while is asked again.
 * @throws UserError when the run goes on, or the scheduler is silent, for longer than it may
 */
export async function followRun(
  client: Asked,
  dag: string,
  runId: string,
  options: FollowOptions,
): Promise<DagRun> {
  const { withinSeconds, onTask, lookEveryMs = LOOK_EVERY_MS } = options;
  const reported = new Map<string, string>();
  const look = patientLook(client, dag, runId, options);
  for (const deadline = Date.now() + withinSeconds * 1000; ; await sleep(lookEveryMs)) {
    const { run, tasks } = await look(deadline);
    for (const task of inOrder(tasks)) {
      const now = `${task.state} ${task.try_number}`;
      if (task.state === null || reported.get(task.task_id) === now) continue;
      reported.set(task.task_id, now);
      onTask(task);
    }
    if (run.state === "success" || run.state === "failed") return run;
    if (Date.now() > deadline) {
      throw new UserError(
        `${dag} is still ${run.state} after ${withinSeconds} s (run ${runId}); it goes on.`,
        `pipeline dag follow ${dag} ${runId} looks on again; pipeline dag list shows paused DAGs, whose runs wait`,
      );
    }
  }
}

interface Look {
  readonly run: DagRun;
  readonly tasks: readonly TaskInstance[];
}

/** One look after another, each repeated while the scheduler is away. */
const patientLook =
  (
    client: Asked,
    dag: string,
    runId: string,
    options: FollowOptions,
  ): ((deadline: number) => Promise<Look>) =>
  (deadline) => {
    const look = async () => {
      // Asked for first: what the tasks say afterwards belongs to this state or a later one.
      const run = await client.run(dag, runId);
      return { run, tasks: await client.tasks(dag, runId) };
    };
    return patiently(look, dag, runId, { ...options, deadline });
  };

/** How somebody asks who has begun a run and does not want to lose sight of it. */
export type Patience = Pick<FollowOptions, "onSilence" | "silenceMs" | "lookEveryMs">;

/**
 * Asks about a run, again and again while the scheduler is away.
 * @throws UserError with the command that looks on, when it is silent for longer than it may
 */
export async function patiently<T>(
  ask: () => Promise<T>,
  dag: string,
  runId: string,
  {
    onSilence = () => undefined,
    silenceMs = SILENCE_MS,
    lookEveryMs = LOOK_EVERY_MS,
    deadline = Number.POSITIVE_INFINITY,
  }: Patience & { readonly deadline?: number } = {},
): Promise<T> {
  const since = Date.now();
  for (let failures = 0; ; failures += 1, await sleep(lookEveryMs)) {
    try {
      const answer = await ask();
      if (failures > 0) onSilence("The scheduler answers again.");
      return answer;
    } catch (error) {
      if (!(error instanceof SchedulerAway)) throw error;
      if (failures === 0) onSilence(`${error.message}. Its runs do not need it; asking again.`);
      if (Date.now() - since > silenceMs || Date.now() > deadline) {
        throw gaveUp(error, dag, runId, since);
      }
    }
  }
}

const gaveUp = (error: SchedulerAway, dag: string, runId: string, since: number): UserError =>
  new UserError(
    `${error.message}, for ${Math.round((Date.now() - since) / 1000)} s. How ${dag} ends is not known here; its run ${runId} may go on.`,
    `${error.hint}; pipeline dag follow ${dag} ${runId} looks on again`,
  );

const READING_MS = 60_000;
/** Looks without another DAG after which there will be none: what is missing is misspelt. */
const LOOKS = 4;

/** Waits for a scheduler that has just started to have read a DAG; gives up in silence. */
export async function untilKnown(
  client: Pick<SchedulerClient, "dags">,
  dag: string,
  everyMs = LOOK_EVERY_MS,
): Promise<void> {
  let still = 0;
  let latest = 0;
  for (const deadline = Date.now() + READING_MS; Date.now() < deadline; await sleep(everyMs)) {
    const known = await client.dags();
    if (known.some(({ dag_id }) => dag_id === dag)) return;
    still = known.length === latest && known.length > 0 ? still + 1 : 0;
    if (still === LOOKS) return;
    latest = known.length;
  }
}

const inOrder = (tasks: readonly TaskInstance[]): TaskInstance[] =>
  [...tasks].sort((a, b) => (a.start_date ?? "9").localeCompare(b.start_date ?? "9"));

/** Reads the reasons of failed tasks from their logs. */
export function failuresOf(
  client: Pick<SchedulerClient, "tasks" | "log">,
  dag: string,
  runId: string,
  patience: Patience = {},
): Promise<{ task: string; words: string }[]> {
  const read = async () => {
    const tasks = await client.tasks(dag, runId);
    const failed = tasks.filter(({ state }) => state === "failed");
    const wordsOf = async (task: TaskInstance) => ({
      task: task.task_id,
      words: lastException(await client.log(dag, runId, task)),
    });
    return Promise.all(failed.map(wordsOf));
  };
  return patiently(read, dag, runId, patience);
}

const RAISED = /^\S*(?:Airflow\w*Exception|\w+Error|\w*Timeout|TaskDeferral\w*): (.*)$/;
/** Every line that Airflow writes itself begins with its time. */
const OWN_LINE = /^\[\d{4}-\d\d-\d\dT/;

/** Text of the last exception in a log; a text of several lines ends at Airflow's next own line. */
export function lastException(log: string): string {
  const lines = log.split("\n");
  const start = lines.findLastIndex((line) => RAISED.test(line));
  if (start === -1) return "no exception in its log";
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => OWN_LINE.test(line));
  const first = RAISED.exec(lines[start] ?? "")?.[1] ?? "";
  return [first, ...rest.slice(0, end === -1 ? undefined : end)].join("\n").trim();
}
