/**
 * Drill: interrupts a start at random moments and repeats it. Alternates Ctrl+C (SIGINT to the
 * process group) on `pulumi up` with a kill of everything (SIGKILL) on `make up`. After the
 * repeated start `pulumi preview` must be empty, with the same services and rows as before.
 * Usage: node test/stack/interrupt.ts [points=40] [seed=1]. Prints one line per point.
 */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { pulumiProgram } from "../../stack/lifecycle/pulumi-program.ts";
import {
  count,
  forgetState,
  operate,
  operateEnvironment,
  pulumi,
  pulumiEnvironment,
  ROOT,
  services,
} from "./operator.ts";

const STACK = "drill";
Object.assign(process.env, operateEnvironment());
const CONFIG = "test/stack/light.yaml";
const points = Number(process.argv[2] ?? 40);
const seed = Number(process.argv[3] ?? 1);
const random = xoroshiro128plus(seed);

/** Random integer from 0 to below `limit`. */
const draw = (limit: number): number => (random.next() >>> 0) % limit;

/** Thrown if a start ended before the signal, or if the signal came too late to stop it. */
const OWN_END = "code 0";

/** Duration of an undisturbed start on this machine, milliseconds. */
function measure(): number {
  const started = performance.now();
  mustSucceed("up", "--config", CONFIG, "--offset", String(OFFSET));
  return performance.now() - started;
}

function mustSucceed(command: string, ...args: string[]): void {
  const { code, text } = operate(STACK, command, ...args);
  if (code !== 0) throw new Error(`${command} failed:\n${text}`);
}

/** Loads a small dataset into every layer; no start may lose these rows. */
async function load(): Promise<number> {
  // A dataset is not loaded between the events of a generator.
  mustSucceed("generator", "off");
  for (const command of [["ddl"], ["data", "--limit", "200"], ["transform"]]) {
    mustSucceed("run", ...command);
  }
  return rows();
}

/** Port offset apart from those of the tests. */
const OFFSET = 15_000;
const HTTP_PORT = 9123 + OFFSET;

const rows = (): Promise<number> => count(STACK, "dds.event", HTTP_PORT);

interface Way {
  readonly name: string;
  readonly signal: "SIGINT" | "SIGKILL";
  /** Program and arguments of the start. */
  readonly start: readonly [string, ...string[]];
}

const PULUMI = await pulumiProgram();
const WAYS: readonly Way[] = [
  {
    name: "pulumi up, Ctrl+C",
    signal: "SIGINT",
    start: [PULUMI, "up", "--yes", "--skip-preview", "--non-interactive", "--stack", STACK],
  },
  {
    name: "make up, killed",
    signal: "SIGKILL",
    start: [process.execPath, "cli/main.ts", "stack", "up", "--stack", STACK],
  },
];

function begin({ start: [program, ...args] }: Way) {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: pulumiEnvironment(),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (part) => {
      text += part;
    });
  }
  const ended = new Promise<string>((resolve) => {
    child.once("close", (code, by) => resolve(by ?? `code ${code}`));
  });
  return { child, ended, text: () => text };
}

/** @throws Error if the start failed before the signal */
async function interrupt(way: Way, after: number): Promise<string> {
  const { child, ended, text } = begin(way);
  await sleep(after);
  if (child.exitCode !== null && child.exitCode !== 0) throw new Error(text());
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, way.signal);
  return ended;
}

/** Repeats with another moment if the start ended before the signal. */
async function interruptBeforeItsEnd(way: Way, whole: number) {
  for (;;) {
    const after = draw(Math.round(whole));
    const end = await interrupt(way, after);
    if (end !== OWN_END) return { after, end };
    mustSucceed("down");
  }
}

/** @returns the error output of a failed repeated start */
async function repeat(way: Way): Promise<string> {
  const { ended, text } = begin(way);
  return (await ended) === OWN_END ? "" : text();
}

/** @returns the differences from before the interruption; empty: none */
async function difference(running: number, loaded: number): Promise<string> {
  const found = Object.keys(services(STACK)).length;
  if (found !== running) return `${found} services`;
  const present = await rows();
  if (present !== loaded) return `${present} rows`;
  try {
    pulumi(STACK, "preview", "--expect-no-changes");
    return "";
  } catch (error) {
    return String(error);
  }
}

let failures = 0;
try {
  const whole = measure();
  const running = Object.keys(services(STACK)).length;
  const loaded = await load();
  console.log(
    `an undisturbed up from nothing: ${(whole / 1000).toFixed(1)} s; ${running} services, ${loaded} rows; seed ${seed}`,
  );
  for (let point = 1; point <= points; point += 1) {
    mustSucceed("down");
    const way = WAYS[point % WAYS.length];
    if (!way) break;
    const { after, end } = await interruptBeforeItsEnd(way, whole);
    const repeated = await repeat(way);
    const wrong = repeated || (await difference(running, loaded));
    if (wrong) failures += 1;
    console.log(
      `${String(point).padStart(2)}  ${way.name.padEnd(17)} after ${(after / 1000).toFixed(1).padStart(5)} s (${end})  ${wrong ? `FAILED\n${wrong}` : "converged"}`,
    );
  }
} finally {
  operate(STACK, "clean");
  forgetState();
}
console.log(`${points - failures} of ${points} converged`);
process.exitCode = failures === 0 ? 0 : 1;
