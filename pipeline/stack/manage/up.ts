import { readOverrides } from "../../../components/generator/overrides.ts";
import { planStack } from "../../../components/services.ts";
import { UserError } from "../../../contract/errors.ts";
import { requireReady } from "../doctor/doctor.ts";
import { type Mode, readChoices, rememberChoices, writeChoices } from "./choices.ts";
import { accept, guard } from "./guarded.ts";
import { untilHealthy } from "./healthy.ts";
import { type InitOptions, init } from "./init.ts";
import { chooseMode } from "./mode.ts";
import { localContext } from "./plan.ts";
import { target } from "./preview-of.ts";
import { pulumi } from "./pulumi.ts";
import { readRecorded } from "./recorded.ts";
import { recover } from "./recover.ts";
import { beginRun, endRun } from "./under-way.ts";
import { unhealthyLogs } from "./unhealthy.ts";
import { unrecorded } from "./unrecorded.ts";

export interface UpOptions extends InitOptions {
  /** Resources to make anew though nothing about them has changed, as Pulumi's wildcards. */
  readonly replace?: string | undefined;
  /** How to start it; default: as it was first started. */
  readonly mode?: Mode | undefined;
  /** Whether the generator publishes, now and after every later start; default: as it was. */
  readonly generatorEnabled?: boolean | undefined;
}

/**
 * What is in Grafana and not at the container engine: only a running one can be asked for it. Not the
 * provider, which must have the current password before a refresh asks with it.
 */
const GRAFANA_CONTENT = "**grafana:*/**";

/**
 * Brings the stack to what its configuration says, from any state, and waits until every service
 * is healthy. Refuses a change that would delete data.
 * @returns the mode it is in
 */
export async function up(stack: string, options: UpOptions = {}): Promise<Mode> {
  const { replace, ...start } = options;
  const mode = await prepare(stack, start);
  const again = replace ? ["--replace", replace] : [];
  const isDelivered = deliversResources(stack);
  const later = isDelivered ? ["--exclude", GRAFANA_CONTENT] : [];
  beginRun(stack);
  if (!(await apply(stack, [...again, ...later]))) {
    await endOrderly(stack);
    throw await notUp(stack, "Pulumi's messages above say what failed.");
  }
  endRun(stack);
  const sick = await untilHealthy(stack);
  if (sick.length > 0) {
    throw await notUp(stack, `not healthy: ${sick.join(", ")}.`);
  }
  accept(stack);
  // Now that Grafana runs: a former one's content would be asked for in vain while it does not.
  if (isDelivered && !(await apply(stack, ["--target", GRAFANA_CONTENT]))) throw undelivered(stack);
  return mode;
}

/**
 * Everything that can refuse a start, before any service is touched that works; also releases what a
 * run that was cut off has left.
 * @returns the mode it would be in
 * @throws UserError naming what stands in the way, with the choices as they were
 */
export async function prepare(
  stack: string,
  { mode: asked, generatorEnabled, ...start }: Omit<UpOptions, "replace"> = {},
): Promise<Mode> {
  const undo = rememberChoices(stack);
  try {
    if (generatorEnabled !== undefined) {
      writeChoices(stack, { ...readChoices(stack), generatorEnabled });
    }
    await init(stack, start);
    const mode = chooseMode(stack, asked);
    await requireReady(stack);
    const recorded = await recover(stack);
    await guard(stack, recorded);
    return mode;
  } catch (error) {
    undo();
    throw error;
  }
}

/** Pulumi has ended by itself: the mark stays only where it made something and did not record it. */
async function endOrderly(stack: string): Promise<void> {
  const rest = await unrecorded(stack, await readRecorded(stack), ["container"]);
  if (rest.containers.length === 0) endRun(stack);
}

/** Whether all of it was done. Refreshing finds what was stopped or removed by hand. */
async function apply(stack: string, options: readonly string[]): Promise<boolean> {
  const run = [...target(stack), "--yes", "--skip-preview", "--refresh", ...options];
  return (await pulumi(stack, ["up", ...run], "show")).code === 0;
}

async function notUp(stack: string, why: string): Promise<UserError> {
  const logs = await unhealthyLogs(stack);
  return new UserError(
    `The stack is not up: ${why}${logs && `\n${logs}`}`,
    `make doctor STACK=${stack}, then make up STACK=${stack} once more`,
  );
}

const deliversResources = (stack: string): boolean =>
  planStack({ ...localContext(stack), overrides: readOverrides(process.env) }).monitoring.dashboards
    ?.delivery === "resources";

const undelivered = (stack: string): UserError =>
  new UserError(
    "The stack is up, but Grafana has not taken its dashboards and rules: Pulumi's messages above say why.",
    `make up STACK=${stack} tries again; dashboards.delivery: files in its configuration needs no provider`,
  );
