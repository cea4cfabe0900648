/**
 * Drill: starts two stacks with different port offsets at once with `pulumi` alone. Both must have
 * an empty preview afterwards, and destroying one must leave the containers of the other alone.
 * Usage: node test/stack/two-stacks.ts [seed=1]. Prints one line per step.
 */
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { parse, stringify } from "yaml";
import { pulumiProgram } from "../../stack/lifecycle/pulumi-program.ts";
import {
  belongings,
  forgetState,
  operate,
  pulumiEnvironment,
  ROOT,
  readText,
  services,
  writeFile,
} from "./operator.ts";

const STACKS = ["drill-one", "drill-two"] as const;
const MAX_DELAY_MS = 20_000;
const seed = Number(process.argv[2] ?? 1);
const random = xoroshiro128plus(seed);
const draw = (limit: number): number => (random.next() >>> 0) % limit;

const execute = promisify(execFile);
const program = await pulumiProgram();

/** Runs plain `pulumi` on a stack. */
const pulumi = (stack: string, ...args: string[]) =>
  execute(program, [...args, "--non-interactive", "--stack", stack], {
    cwd: ROOT,
    env: pulumiEnvironment(stack),
    maxBuffer: 64 * 1024 * 1024,
  });

function configure(stack: string, portOffset: number): void {
  const { config } = parse(readText("test/stack/light.yaml"));
  config["event-pipeline:network"] = { portOffset };
  writeFile(`Pulumi.${stack}.yaml`, stringify({ config }));
  const { code, text } = operate(stack, "init");
  if (code !== 0) throw new Error(text);
}

const left = (stack: string) => belongings(stack, ["container", "volume", "network"]);

function check(what: string, isTrue: boolean): void {
  console.log(`${isTrue ? "ok  " : "FAIL"}  ${what}`);
  if (!isTrue) process.exitCode = 1;
}

try {
  const offset = 3_000 + 100 * draw(100);
  const delay = draw(MAX_DELAY_MS);
  const [one, two] = STACKS;
  configure(one, offset);
  configure(two, offset + 100);
  const up = ["up", "--yes", "--skip-preview"];
  await Promise.all([pulumi(one, ...up), sleep(delay).then(() => pulumi(two, ...up))]);
  console.log(`seed ${seed}: offsets ${offset} and ${offset + 100}, ${delay} ms apart`);
  for (const stack of STACKS) {
    check(`${stack} runs three services`, Object.keys(services(stack)).length === 3);
    await pulumi(stack, "preview", "--expect-no-changes");
    check(`${stack} has nothing left to change`, true);
  }
  const before = JSON.stringify(services(two));
  await pulumi(one, "destroy", "--yes", "--skip-preview");
  check("nothing of the destroyed stack is left but its image", left(one).length === 0);
  check("the other stack runs on", JSON.stringify(services(two)) === before);
  await pulumi(two, "preview", "--expect-no-changes");
  check("the other stack has nothing to change", true);
} finally {
  for (const stack of STACKS) operate(stack, "clean");
  forgetState();
}
