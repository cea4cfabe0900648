/**
 * The stack beside the same container specifications under `docker compose up --wait`, in the same
 * run, and what a change costs: three services, then all that can be had on this machine. Needs
 * Docker, Pulumi and Compose; `COMPOSE` names its program. Ends with 1 when a promise is not kept.
 *
 *   node bench/stack.ts
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientEnvironment } from "../pipeline/stack/manage/client.ts";
import { localContext } from "../pipeline/stack/manage/plan.ts";
import { target } from "../pipeline/stack/manage/preview-of.ts";
import { execute } from "../pipeline/stack/manage/process.ts";
import { pulumiText } from "../pipeline/stack/manage/pulumi.ts";
import { planStack, type StackPlan } from "../pipeline/stack/plan/stack.ts";
import { composeUp, type Pipeline } from "./compose-run.ts";
import type { BenchRow } from "./generator.ts";
import { report } from "./verdict.ts";

const STACK = "bench";
const SMALL = { what: "three services", config: "test/stack/light.yaml", rounds: 5 };
const WHOLE = { what: "whole stack", config: "test/stack/whole.yaml", rounds: 3 };
/** Compose's time that ours may need. */
const PROMISED = 1.15;

process.env.EVENT_PIPELINE_STATE = mkdtempSync(join(tmpdir(), "bench-stack-"));
const state = process.env.EVENT_PIPELINE_STATE;

/** Runs a command of the pipeline that must succeed. */
async function pipeline(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const program = ["pipeline/cli.ts", ...args];
  const options = { env, output: "capture" } as const;
  const { code, stdout, stderr } = await execute(process.execPath, program, options);
  if (code !== 0) throw new Error(`${program.join(" ")}\n${stdout}${stderr}`);
}

/** @returns seconds */
async function stack(command: string, ...args: readonly string[]): Promise<number> {
  const started = performance.now();
  await pipeline(["stack", command, "--stack", STACK, ...args], process.env);
  return (performance.now() - started) / 1000;
}

/** A file of the database's configuration changes: another password of the BI user. */
function changeConfiguration(): void {
  const file = join(state, "stacks", STACK, "secrets.json");
  const secrets = JSON.parse(readFileSync(file, "utf8"));
  secrets.biPassword = `changed-${Math.random().toString(36).slice(2)}-${Date.now()}`;
  writeFileSync(file, JSON.stringify(secrets));
}

/** Leaves the images and nothing else, at the engine and on record. */
async function leaveImages(): Promise<void> {
  await pulumiText(STACK, "destroy", ...target(STACK), "--yes", "--skip-preview");
}

async function best(rounds: number, seconds: () => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round < rounds; round++) all.push(await seconds());
  return Math.min(...all);
}

const inSeconds = (name: string, value: number, more: Partial<BenchRow>): BenchRow => ({
  reference: null,
  ratio: null,
  name,
  value: Number(value.toFixed(1)),
  unit: "s",
  ...more,
});

/** The pipeline's commands on the services of a stack, as the program itself runs them. */
const pipelineOn = (name: string): Pipeline => {
  const env = { ...process.env, ...clientEnvironment(name) };
  return (...args) => pipeline(args, env);
};

/** Seconds of one start each. */
interface Round {
  own: number;
  reference: number;
}

/** Leaves nothing but images. Who begins changes: the machine is not the same after a start. */
async function takeRound(plan: StackPlan, isTurned: boolean): Promise<Round> {
  const round = { own: Number.NaN, reference: Number.NaN };
  const file = join(state, "compose.yaml");
  const takers = [
    async () => (round.reference = await composeUp(plan, file, pipelineOn(STACK))),
    async () => (round.own = await stack("up")),
  ];
  for (const take of isTurned ? takers.reverse() : takers) {
    await leaveImages();
    await take();
  }
  await leaveImages();
  return round;
}

/** Up from built images to healthy, by turns with Compose. */
async function compare({ what, config, rounds: count }: typeof SMALL): Promise<BenchRow> {
  // Builds the images that both start from.
  await stack("up", "--config", config, "--mode", "bare");
  const plan = planStack(localContext(STACK));
  const rounds: Round[] = [];
  for (let number = 1; number <= count; number++) {
    const round = await takeRound(plan, number % 2 === 0);
    const [own, compose] = [round.own.toFixed(1), round.reference.toFixed(1)];
    console.log(`${what}, round ${number}: ${own} s, Compose ${compose} s`);
    rounds.push(round);
  }
  return rowOf(what, rounds);
}

/** The machine drifts within a run: the two best times may be those of two machines. */
function rowOf(what: string, rounds: readonly Round[]): BenchRow {
  const ratio = Number(median(rounds.map((round) => round.own / round.reference)).toFixed(2));
  const reference = Number(Math.min(...rounds.map((round) => round.reference)).toFixed(1));
  const own = Math.min(...rounds.map((round) => round.own));
  return inSeconds(`up from built images, ${what}`, own, { reference, ratio, atMost: PROMISED });
}

/** Of an odd number of values. */
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;

const changes = async (): Promise<BenchRow[]> => [
  inSeconds("up without a change", await best(3, () => stack("up")), { atMost: 10 }),
  inSeconds("preview", await best(3, () => stack("preview")), { atMost: 6 }),
  inSeconds(
    "a changed configuration file live",
    await best(3, () => {
      changeConfiguration();
      return stack("up");
    }),
    { atMost: 8 },
  ),
];

try {
  const rows = [await compare(SMALL)];
  await stack("up");
  rows.push(...(await changes()));
  await stack("clean");
  rows.push(await compare(WHOLE));
  report(rows, { value: "best, s", reference: "Compose's best, s", ratio: "median ratio" });
} finally {
  await stack("clean");
  rmSync(state, { recursive: true, force: true });
}
