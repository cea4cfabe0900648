import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { execute, type Outcome } from "../../terminal/process.ts";
import { programError } from "./program-error.ts";

export interface HealthCheck {
  readonly test: readonly string[];
  /** Interval, whole seconds below 60. */
  readonly everySeconds: number;
  readonly timeoutSeconds: number;
  /** Seconds of failing checks until unhealthy, also at the start. A hanging check adds its timeout. */
  readonly unhealthyAfterSeconds: number;
}

const QUICK_START = { everySeconds: 3, timeoutSeconds: 5, unhealthyAfterSeconds: 60 };

/** Pattern of the status line of a successful response. */
const HTTP_200_PATTERN = "^HTTP/1.[01] 200";

interface HttpHealthOptions {
  /** Name in the network of a service that answers for this one. Default: this container. */
  readonly host?: string | undefined;
  /** Pattern of a line of the response. Default: a successful status. */
  readonly line?: string;
  readonly times?: Omit<HealthCheck, "test">;
}

/** Check in the image's shell, because a client would use more CPU than the idle service. */
export const httpHealth = (
  port: number,
  path: string,
  { host = "127.0.0.1", line = HTTP_200_PATTERN, times = QUICK_START }: HttpHealthOptions = {},
): HealthCheck => ({
  test: [
    "CMD",
    "bash",
    "-c",
    `exec 3<>/dev/tcp/${host}/${port} && printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q '${line}' <&3`,
  ],
  ...times,
});

export const wgetHealth = (
  port: number,
  path: string,
  times: Omit<HealthCheck, "test"> = QUICK_START,
): HealthCheck => ({
  test: ["CMD", "wget", "-q", "-O", "/dev/null", `http://127.0.0.1:${port}${path}`],
  ...times,
});

/** Time limit for health, seconds; longer than the time until any service counts as unhealthy. */
export const HEALTHY_WITHIN_SECONDS = 240;
const POLL_MS = 500;
const LOG_LINES = "12";

/** Time in which a service may recover that was unhealthy before, such as after an outage of Kafka. */
const RECOVERS_WITHIN_SECONDS = 60;
/** Restarts during the wait after which a service is not expected to start. */
const MAX_RESTARTS = 3;

const inspectSchema = z.looseObject({
  RestartCount: z.number(),
  State: z.looseObject({
    Status: z.string(),
    ExitCode: z.number(),
    Health: z.looseObject({ Status: z.string() }).nullish(),
  }),
});

interface Look {
  /** `healthy`, `starting`, `unhealthy`, or why the container does not run. */
  readonly state: string;
  readonly restarts: number;
}

/**
 * Waits until a container is healthy.
 * @throws RunError with the end of its log, early if it has exited, is unhealthy or paused
 */
export async function waitUntilHealthy(container: string): Promise<void> {
  const began = Date.now();
  const first = await lookAt(container);
  let hasStarted = false;
  for (let look = first; look.state !== "healthy"; look = await lookAt(container)) {
    const seconds = (Date.now() - began) / 1000;
    hasStarted ||= look.state === "starting" || look.state === "created";
    const mayRecover =
      look.state === "unhealthy" && !hasStarted && seconds < RECOVERS_WITHIN_SECONDS;
    const restarts =
      look.state.startsWith("restarting") && look.restarts - first.restarts < MAX_RESTARTS;
    const isWaiting = WAITING.has(look.state) || mayRecover || restarts;
    if (!isWaiting || seconds > HEALTHY_WITHIN_SECONDS)
      throw await notHealthy(container, look.state);
    await sleep(POLL_MS);
  }
}

const WAITING: ReadonlySet<string> = new Set(["starting", "created"]);

async function lookAt(container: string): Promise<Look> {
  const format = ["--type", "container", "--format", "{{json .}}"];
  const { code, stdout, stderr } = await docker("inspect", ...format, container);
  if (code !== 0) return { state: stderr.trim(), restarts: 0 };
  const { RestartCount: restarts, State } = inspectSchema.parse(JSON.parse(stdout));
  const { Status: status, ExitCode: exitCode, Health: health } = State;
  if (status === "running") return { state: health?.Status ?? "healthy", restarts };
  const hasCode = status === "exited" || status === "restarting";
  return { state: hasCode ? `${status} with code ${exitCode}` : status, restarts };
}

async function docker(...args: readonly string[]): Promise<Outcome> {
  try {
    return await execute("docker", args, { output: "capture" });
  } catch (error) {
    throw error instanceof UserError ? programError(error) : error;
  }
}

async function notHealthy(container: string, state: string): Promise<Error> {
  const { stdout, stderr } = await docker("logs", "--tail", LOG_LINES, container);
  const log = `${stdout}${stderr}`.trimEnd().replaceAll(/^/gm, "  ");
  return programError(
    new UserError(
      `${container} is not healthy: ${state}\n${log}`,
      `${nextStep(container, state)}, then run pulumi up again`,
    ),
  );
}

function nextStep(container: string, state: string): string {
  if (state === "paused") return `run docker unpause ${container}`;
  return state.startsWith("exited") ? `run docker start ${container}` : "correct the cause";
}
