import { planStack, type StackPlan } from "../../../components/services.ts";
import { MartsMissing } from "../../../contract/errors.ts";
import { requireMarts } from "../../bi/marts.ts";
import { ServerDatabase } from "../../database/http.ts";
import { lastScreen, type Step } from "./last-screen.ts";
import { watchMemory } from "./memory.ts";
import { memoryOfServices } from "./memory-use.ts";
import { readSecrets } from "./outputs.ts";
import { localContext } from "./plan.ts";
import { type UpOptions, up } from "./up.ts";

/**
 * Brings the stack up in its mode.
 * @returns what the operator should see last
 */
export async function upInMode(stack: string, options: UpOptions): Promise<string> {
  const timer = new Timer(stack);
  const mode = await timer.step("services, schema, data, BI", () => up(stack, options));
  const context = localContext(stack);
  const plan = planStack(context);
  const isFed = plan.generator !== null && context.config.generator.enabled;
  // A stored data set would take the place of what is there: it is advised only where nothing is,
  // not where that cannot be found out.
  const mayBeFilled = (error: unknown): boolean => !(error instanceof MartsMissing);
  const isFilled = isFed || (await hasMarts(stack, plan).catch(mayBeFilled));
  return lastScreen(stack, plan, { mode, steps: timer.steps, isFed, isFilled });
}

/** Whether there is something to see; what is new since then comes with the next scheduled load. */
async function hasMarts(stack: string, { database }: StackPlan): Promise<boolean> {
  const { hostUrl: url, user } = database.endpoint;
  const { databasePassword: password = "" } = await readSecrets(stack);
  const db = new ServerDatabase({ url, user, password });
  try {
    return (await requireMarts(db)).isLoaded;
  } finally {
    await db.close();
  }
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
