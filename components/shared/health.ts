import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { execute } from "../../terminal/process.ts";

export interface HealthCheck {
  readonly test: readonly string[];
  /** Interval, whole seconds. */
  readonly everySeconds: number;
  readonly timeoutSeconds: number;
  /** Seconds of failing checks until unhealthy, also at the start. A hanging check adds its timeout. */
  readonly unhealthyAfterSeconds: number;
}

const QUICK_START = { everySeconds: 3, timeoutSeconds: 5, unhealthyAfterSeconds: 60 };

/** Pattern of the status line of a successful response. */
const HTTP_200_PATTERN = "^HTTP/1.[01] 200";

/** Check in the image's shell, because a client would use more CPU than the idle service. */
export const httpHealth = (
  port: number,
  path: string,
  line = HTTP_200_PATTERN,
  times: Omit<HealthCheck, "test"> = QUICK_START,
): HealthCheck => ({
  test: [
    "CMD",
    "bash",
    "-c",
    `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q '${line}' <&3`,
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

const stateSchema = z.looseObject({
  RestartCount: z.number(),
  State: z.looseObject({
    Status: z.string(),
    ExitCode: z.number(),
    Health: z.looseObject({ Status: z.string() }).nullish(),
  }),
});

/**
 * Waits until a container is healthy.
 * @throws RunError with the end of its log, at once if it has exited, is unhealthy or paused
 */
export async function waitUntilHealthy(container: string): Promise<void> {
  for (const deadline = Date.now() + HEALTHY_WITHIN_SECONDS * 1000; ; await sleep(POLL_MS)) {
    const state = await stateOf(container);
    if (state === "healthy") return;
    if (!WAITING.has(state) || Date.now() > deadline) throw await notHealthy(container, state);
  }
}

const WAITING: ReadonlySet<string> = new Set(["starting", "created"]);

/** Returns `healthy`, `starting`, `unhealthy`, or why the container does not run. */
async function stateOf(container: string): Promise<string> {
  const inspected = await execute(
    "docker",
    ["inspect", "--type", "container", "--format", "{{json .}}", container],
    { output: "capture" },
  );
  if (inspected.code !== 0) return "missing";
  const { RestartCount, State } = stateSchema.parse(JSON.parse(inspected.stdout));
  const { Status: status, ExitCode: code, Health: health } = State;
  if (status === "running") return health?.Status ?? "healthy";
  // A service that refuses its settings is started again and again.
  if (status === "restarting" && RestartCount < MAX_RESTARTS) return "starting";
  return status === "exited" || status === "restarting" ? `${status} with code ${code}` : status;
}

const MAX_RESTARTS = 3;

async function notHealthy(container: string, state: string): Promise<pulumi.RunError> {
  const { stdout, stderr } = await execute("docker", ["logs", "--tail", LOG_LINES, container], {
    output: "capture",
  });
  const log = `${stdout}${stderr}`.trimEnd().replaceAll(/^/gm, "  ");
  const error = new pulumi.RunError(
    `${container} is not healthy: ${state}\n${log}\nhint: correct the cause, then run pulumi up --refresh again`,
  );
  // Pulumi prints the stack trace of an error that ends a dependency.
  error.stack = error.message;
  return error;
}
