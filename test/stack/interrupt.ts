/**
 * Drill: cuts `up` off at random moments, by turns politely (SIGINT) and at once (SIGKILL, the
 * whole process group), then runs it once more, asks the doctor, and counts the services and the rows
 * that were there before.
 * Usage: node test/stack/interrupt.ts [points=20] [seed=1]. Prints one line per point.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { count, forgetState, operate, operateEnvironment, ROOT, services } from "./operator.ts";

const STACK = "drill";
Object.assign(process.env, operateEnvironment());
const CONFIG = "test/stack/light.yaml";
const points = Number(process.argv[2] ?? 20);
const seed = Number(process.argv[3] ?? 1);
const random = xoroshiro128plus(seed);

/** A whole number from 0 to below `limit`. */
const draw = (limit: number): number => (random.next() >>> 0) % limit;

/** Of a start that had ended before the blow, or that the blow came too late to stop. */
const OWN_END = "code 0";

/** How long an undisturbed start takes here, milliseconds. */
function measure(): number {
  const started = performance.now();
  mustSucceed("up", "--config", CONFIG);
  return performance.now() - started;
}

function mustSucceed(command: string, ...args: string[]): void {
  const { code, text } = operate(STACK, command, ...args);
  if (code !== 0) throw new Error(`${command} failed:\n${text}`);
}

/** @returns what the command said that failed */
function startAnew(): string {
  const { code, text } = operate(STACK, "clean");
  return code === 0 ? "" : text;
}

/** Rows of a small load, all the way: what no start may lose. */
async function load(): Promise<number> {
  // A data set is not loaded between the events of a generator.
  mustSucceed("generator", "off");
  for (const command of [["ddl"], ["data", "--limit", "200"], ["transform"]]) {
    mustSucceed("run", ...command);
  }
  return rows();
}

/** Of light.yaml. */
const HTTP_PORT = 29_123;

const rows = (): Promise<number> => count(STACK, "dds.event", HTTP_PORT);

/** @throws Error where it failed before the blow: that is no cut-off start, but a broken one */
async function cutOff(after: number, signal: "SIGINT" | "SIGKILL"): Promise<string> {
  const program = [join(ROOT, "pipeline/cli.ts"), "stack", "up", "--stack", STACK];
  const child = spawn(process.execPath, program, {
    cwd: ROOT,
    env: operateEnvironment(),
    detached: true,
    stdio: "ignore",
  });
  const ended = new Promise<string>((resolve) => {
    child.once("close", (code, by) => resolve(by ?? `code ${code}`));
  });
  await sleep(after);
  if (child.exitCode !== null && child.exitCode !== 0) throw new Error("up failed by itself");
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
  return ended;
}

/** A start that had ended before the blow proves nothing: another moment is drawn. */
async function cutOffBeforeItsEnd(whole: number, signal: "SIGINT" | "SIGKILL") {
  for (;;) {
    const after = draw(Math.round(whole));
    const end = await cutOff(after, signal);
    if (end !== OWN_END) return { after, end };
    mustSucceed("down");
  }
}

let failures = 0;
try {
  const whole = measure();
  const running = Object.keys(services(STACK)).length;
  let loaded = await load();
  console.log(
    `an undisturbed up from nothing: ${(whole / 1000).toFixed(1)} s; ${running} services, ${loaded} rows; seed ${seed}`,
  );
  for (let point = 1; point <= points; point += 1) {
    mustSucceed("down");
    const signal = point % 2 === 0 ? "SIGKILL" : "SIGINT";
    const { after, end } = await cutOffBeforeItsEnd(whole, signal);
    // Every third time from nothing: what was cut off must not stand in the way of that either.
    const cleaned = point % 3 === 0 ? startAnew() : "";
    const again = operate(STACK, "up");
    const doctor = operate(STACK, "doctor");
    if (point % 3 === 0 && again.code === 0) loaded = await load();
    const good =
      !cleaned &&
      again.code === 0 &&
      doctor.code === 0 &&
      Object.keys(services(STACK)).length === running &&
      (await rows()) === loaded;
    if (!good) failures += 1;
    console.log(
      `${String(point).padStart(2)}  ${signal.padEnd(7)} after ${(after / 1000).toFixed(1).padStart(5)} s (${end})  ${good ? "converged" : `FAILED\n${cleaned}${again.text}\n${doctor.text}`}`,
    );
  }
} finally {
  operate(STACK, "clean");
  forgetState();
}
console.log(`${points - failures} of ${points} converged`);
process.exitCode = failures === 0 ? 0 : 1;
