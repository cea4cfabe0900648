import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type StackPlan, servicesOf } from "../components/services.ts";
import { PROJECT } from "../components/shared/names.ts";
import { clientEnvironment } from "../stack/lifecycle/client.ts";
import { localPlan } from "../stack/lifecycle/local-plan.ts";
import { readSecrets } from "../stack/lifecycle/outputs.ts";
import { stackFile } from "../stack/lifecycle/stack-file.ts";
import { openStack, recordedStacks } from "../stack/lifecycle/workspace.ts";
import { execute } from "../terminal/process.ts";
import { composeUp, type KnownPlan, type Pipeline } from "./compose-run.ts";
import type { BenchRow } from "./generator.ts";
import { HealthWatch } from "./health-watch.ts";
import { median } from "./median.ts";
import { report } from "./verdict.ts";

const STACK = "bench";
/** Rounds of the small stack; the whole stack runs two fewer. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const SMALL = { what: "three services", config: "test/stack/light.yaml", rounds: ROUNDS };
const WHOLE = { what: "whole stack", config: "test/stack/whole.yaml", rounds: ROUNDS - 2 };
/** Largest allowed ratio of the stack's time to Compose's. */
const MAX_RATIO = 1.3;

process.env.EVENT_PIPELINE_STATE = mkdtempSync(join(tmpdir(), "bench-stack-"));
const state = process.env.EVENT_PIPELINE_STATE;

async function pipeline(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const program = ["cli/main.ts", ...args];
  const options = { env, output: "capture" } as const;
  const { code, stdout, stderr } = await execute(process.execPath, program, options);
  if (code !== 0) throw new Error(`${program.join(" ")}\n${stdout}${stderr}`);
}

async function stack(command: string, ...args: readonly string[]): Promise<number> {
  const started = performance.now();
  await pipeline(["stack", command, "--stack", STACK, ...args], process.env);
  return (performance.now() - started) / 1000;
}

/** Changes a password. @returns seconds from `up` until the server accepts the new password */
async function changeConfiguration(): Promise<number> {
  const password = `changed-${Math.random().toString(36).slice(2)}-${Date.now()}`;
  const own = await openStack(STACK);
  await own.setConfig(`${PROJECT}:biPassword`, { value: password, secret: true });
  const url = localPlan(STACK).database.endpoint.hostUrl;
  const headers = { "X-ClickHouse-User": "bi", "X-ClickHouse-Key": password };
  const isLive = async () => (await fetch(`${url}/?query=SELECT+1`, { headers })).status === 200;
  const started = performance.now();
  // Excludes later steps of `up`, such as the BI import.
  let hasEnded = false;
  const upEnds = stack("up").finally(() => {
    hasEnded = true;
  });
  const waitForNewPassword = async (): Promise<number> => {
    for (let isLast = false; !(await isLive()); await sleep(50)) {
      if (isLast) throw new Error(`The new password does not work after the end of up`);
      isLast = hasEnded;
    }
    return (performance.now() - started) / 1000;
  };
  const [seconds] = await Promise.all([waitForNewPassword(), upEnds]);
  return seconds;
}

async function leaveImages(): Promise<void> {
  await (await openStack(STACK)).destroy();
}

async function typical(seconds: () => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round < 3; round++) all.push(await seconds());
  return median(all);
}

const inSeconds = (name: string, value: number, more: Partial<BenchRow>): BenchRow => ({
  reference: null,
  ratio: null,
  name,
  value: Number(value.toFixed(1)),
  unit: "s",
  ...more,
});

const pipelineOn = async (name: string): Promise<Pipeline> => {
  const env = { ...process.env, ...(await clientEnvironment(name)) };
  return (...args) => pipeline(args, env);
};

/** Times of a start from images only, seconds. */
interface Start {
  readonly healthy: number;
  readonly ended: number;
}

interface Round {
  readonly own: Start;
  readonly compose: Start;
}

/** Measures a start; removes everything except images before and after. */
async function timed(plan: StackPlan, start: () => Promise<number>): Promise<Start> {
  await leaveImages();
  const watch = new HealthWatch();
  const ended = await start();
  const names = servicesOf(plan).map(({ container }) => container.name);
  return { healthy: await watch.end(names), ended };
}

/** Measures both in alternating order, because the first start affects the second. */
async function takeRound(known: KnownPlan, run: Pipeline, isTurned: boolean): Promise<Round> {
  const { plan } = known;
  const file = join(state, "compose.yaml");
  const startOwn = () => timed(plan, () => stack("up"));
  const startCompose = () => timed(plan, () => composeUp(known, file, run));
  const first = isTurned ? await startOwn() : null;
  const compose = await startCompose();
  const own = first ?? (await startOwn());
  await leaveImages();
  return { own, compose };
}

/** Returns the plan with the secrets of the running stack, so that Compose gets equal files. */
const knownPlan = async (): Promise<KnownPlan> => ({
  plan: localPlan(STACK),
  secrets: await readSecrets(STACK),
});

async function compare({ what, config, rounds: count }: typeof SMALL): Promise<BenchRow[]> {
  // Builds the images for both programs.
  await stack("up", "--config", config, "--mode", "bare");
  const known = await knownPlan();
  const run = await pipelineOn(STACK);
  const rounds: Round[] = [];
  for (let number = 1; number <= count; number++) {
    const round = await takeRound(known, run, number % 2 === 0);
    console.log(
      `${what}, round ${number}: ${startText(round.own)}; Compose ${startText(round.compose)}`,
    );
    rounds.push(round);
  }
  return [
    rowOf(`${what} healthy`, rounds, "healthy", { atMost: MAX_RATIO }),
    rowOf(`${what}, command ended`, rounds, "ended", {}),
  ];
}

const startText = ({ healthy, ended }: Start): string =>
  `healthy ${healthy.toFixed(1)} s, ended ${ended.toFixed(1)} s`;

/** Creates a row with the median of ratios, because the machine's speed drifts within a run. */
function rowOf(
  name: string,
  rounds: readonly Round[],
  of: keyof Start,
  limit: Partial<BenchRow>,
): BenchRow {
  const ratio = Number(median(rounds.map(({ own, compose }) => own[of] / compose[of])).toFixed(2));
  const reference = Number(median(rounds.map(({ compose }) => compose[of])).toFixed(1));
  const value = median(rounds.map(({ own }) => own[of]));
  return inSeconds(`up from built images, ${name}`, value, { reference, ratio, ...limit });
}

async function changes(what: string): Promise<BenchRow[]> {
  await stack("up");
  const row = async (name: string, limit: Partial<BenchRow>, seconds: () => Promise<number>) =>
    inSeconds(`${name}, ${what}`, await typical(seconds), limit);
  return [
    await row("up without a change", {}, () => stack("up")),
    await row("preview", { atMost: 15 }, () => stack("preview")),
    await row("a changed configuration file live", {}, changeConfiguration),
  ];
}

/** Removes the stack with its file, because a stack keeps its configuration. */
async function remove(): Promise<void> {
  const stacks = await recordedStacks();
  if (stacks.some(({ name }) => name === STACK)) await stack("clean");
  rmSync(stackFile(STACK), { force: true });
}

// A killed run leaves this file, but its passphrase is lost with its state.
rmSync(stackFile(STACK), { force: true });
try {
  const rows: BenchRow[] = [];
  for (const one of [SMALL, WHOLE]) {
    rows.push(...(await compare(one)), ...(await changes(one.what)));
    await remove();
  }
  report(rows, { value: "median, s", reference: "Compose's, s", ratio: "median ratio" });
} finally {
  await remove();
  rmSync(state, { recursive: true, force: true });
}
