import { MartsMissing, UserError } from "../../../contract/errors.ts";
import { requireMarts } from "../../bi/marts.ts";
import { ServerDatabase } from "../../database/http.ts";
import { planStack, type StackPlan } from "../plan/stack.ts";
import { runPipeline } from "./client.ts";
import { lastScreen, type Step } from "./last-screen.ts";
import { watchMemory } from "./memory.ts";
import { memoryOfServices } from "./memory-use.ts";
import { rememberLife, wasKeptFresh } from "./mode.ts";
import { localContext } from "./plan.ts";
import { type UpOptions, up } from "./up.ts";

/** Longest that a week of history, its way into stg, or a batch may take on a slow machine. */
const PATIENCE_SECONDS = "900";

/** What keeps the layers fresh while the stack lives; the scheduler starts it paused. */
const LIVE_DAG = "etl_live";
const BATCH_DAG = "etl_pipeline";

/**
 * Brings the stack up in its mode. A living one gets what it needs to live: a week of history that
 * ends now through all layers, and a scheduler that loads what comes. Whatever was cut off, or runs
 * already, goes on where it was.
 * @returns what the operator should see last
 * @throws UserError naming the step that failed; calling it again continues there
 */
export async function upInMode(stack: string, options: UpOptions): Promise<string> {
  const timer = new Timer(stack);
  const mode = await timer.step("services, schema, BI", () => up(stack, options));
  const context = localContext(stack);
  const plan = planStack(context);
  const isFed = plan.generator !== null && context.config.generator.enabled;
  // Nothing is waited for, and nothing loaded again and again, where no generator publishes.
  if (mode === "living" && isFed) await bringToLife(stack, timer, plan);
  else if (mode === "bare" && plan.scheduler) await pipeline(stack, "dag", "pause", LIVE_DAG);
  // A stored data set would take the place of what is there: it is advised only where nothing is,
  // not where that cannot be found out.
  const mayBeFilled = (error: unknown): boolean => !(error instanceof MartsMissing);
  const isFilled = isFed || (await hasMarts(stack, plan).catch(mayBeFilled));
  return lastScreen(stack, plan, { mode, steps: timer.steps, isFed, isFilled });
}

async function bringToLife(stack: string, timer: Timer, plan: StackPlan) {
  // A load has paused it, say: that keeps nobody from loading what is there.
  const wait = ["--wait", PATIENCE_SECONDS, "--accept-pause"];
  await timer.step("a week of history", () => pipeline(stack, "generator", "status", ...wait));
  await timer.step("raw rows in the database", () => pipeline(stack, "stored"));
  if (plan.scheduler) await loadByDag(stack, timer, plan);
  else await timer.step("batch process", () => pipeline(stack, "transform", "--no-full-refresh"));
  rememberLife(stack);
}

async function loadByDag(stack: string, timer: Timer, plan: StackPlan) {
  // Paused, as an operation on the generator leaves it, it would keep every load waiting unheard.
  await pipeline(stack, "dag", "unpause", BATCH_DAG);
  const run = ["dag", "run", BATCH_DAG, "--wait", PATIENCE_SECONDS];
  const batch = (...params: string[]) =>
    timer.step(`batch process (DAG ${BATCH_DAG})`, () => pipeline(stack, ...run, ...params));
  if (!(await hasMarts(stack, plan))) await batch();
  // What a stack that was bare so far has let lie is more than a scheduled load's.
  else if (!wasKeptFresh(stack)) await batch("--param", "full_refresh=false");
  await pipeline(stack, "dag", "unpause", LIVE_DAG);
}

/** Whether there is something to see; what is new since then comes with the next scheduled load. */
async function hasMarts(stack: string, { database }: StackPlan): Promise<boolean> {
  const { hostUrl: url, user } = database.endpoint;
  const password = localContext(stack).secrets.databasePassword ?? "";
  const db = new ServerDatabase({ url, user, password });
  try {
    return (await requireMarts(db)).isLoaded;
  } finally {
    await db.close();
  }
}

async function pipeline(stack: string, ...args: readonly string[]): Promise<void> {
  if ((await runPipeline(stack, args)) === 0) return;
  throw new UserError(
    `The stack runs, but pipeline ${args.join(" ")} failed; its message stands above.`,
    `make up STACK=${stack} continues there`,
  );
}

/** Notes how long each step took, and the most that all containers held during it. */
class Timer {
  readonly steps: Step[] = [];
  readonly #stack: string;

  constructor(stack: string) {
    this.#stack = stack;
  }

  async step<T>(name: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const watch = watchMemory((signal) => memoryOfServices(this.#stack, signal));
    try {
      return await work();
    } finally {
      const seconds = (performance.now() - start) / 1000;
      // The last look takes a moment, in which the next step can begin.
      this.steps.push({ name, seconds, memory: watch.stop() });
    }
  }
}
