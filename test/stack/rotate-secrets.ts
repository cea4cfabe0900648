/**
 * Starts a stack with `pulumi` alone and rotates every secret in random order. Checks after each
 * rotation that services accept the new value and refuse the old one. Also checks that only the
 * expected containers were replaced, and that a second preview is empty. Exits with 1 at the first
 * failure and keeps the stack. Usage: node test/stack/rotate-secrets.ts [seed=1]
 * [configuration=test/stack/whole.yaml] [folder of a kept stack].
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { parse, stringify } from "yaml";
import { renderTable } from "../../terminal/format.ts";
import { type Outputs, PlainStack } from "./plain-pulumi.ts";
import { storedIn, storeVariable } from "./rotation-checks.ts";
import { type Rotation, rotations } from "./rotations.ts";

const [seed = "1", config = "test/stack/whole.yaml", folder] = process.argv.slice(2);
const STACK = "rotate";
const PORT_OFFSET = 21_000;

/** Bare mode, because a scheduled load would run between the rotations. */
function configuration(): string {
  const { config: blocks } = parse(readFileSync(config, "utf8")) as { config: object };
  return stringify({
    config: {
      ...blocks,
      "event-pipeline:mode": "bare",
      "event-pipeline:network": { portOffset: PORT_OFFSET },
    },
  });
}

/** Fisher-Yates shuffle. */
function shuffled<T>(items: readonly T[]): T[] {
  const random = xoroshiro128plus(Number(seed));
  const all = [...items];
  for (let i = all.length - 1; i > 0; i--) {
    const j = (random.next() >>> 0) % (i + 1);
    [all[i], all[j]] = [all[j] as T, all[i] as T];
  }
  return all;
}

const generations = new Map<string, number>();

function apply(stack: PlainStack, { by }: Rotation): void {
  if ("replace" in by) {
    stack.up("--replace", `**::${by.replace}`);
    return;
  }
  const generation = (generations.get(by.generation) ?? 1) + 1;
  generations.set(by.generation, generation);
  stack.set(by.generation, String(generation));
  stack.up();
}

/** @returns duration of `pulumi up` in seconds */
async function rotate(stack: PlainStack, rotation: Rotation, before: Outputs): Promise<number> {
  const { secret, checks, encrypted, restarts } = rotation;
  const stored = () => encrypted && storedIn(STACK, encrypted.database, encrypted.query);
  const [containers, text] = [stack.containers(), stored()];
  const started = performance.now();
  apply(stack, rotation);
  const seconds = (performance.now() - started) / 1000;
  // Pulumi blocked the event loop: only now does fetch notice connections to replaced containers.
  await setImmediate();
  const after = stack.outputs();
  const now = stack.containers();
  const replaced = Object.keys(now).filter((role) => now[role] !== containers[role]);
  assert.deepEqual(replaced.sort(), [...restarts].sort(), `containers replaced by ${secret}`);
  if (before.secrets[secret]) assert.notEqual(after.secrets[secret], before.secrets[secret]);
  for (const check of checks) await check({ stack: STACK, before, after });
  if (encrypted) assert.notEqual(stored(), text, `${secret}: still encrypted with the old key`);
  stack.expectNoChange();
  return seconds;
}

const stack = folder
  ? PlainStack.existing(STACK, folder)
  : PlainStack.create(STACK, configuration());
console.error(`Backend and configuration: ${stack.folder}`);
stack.up();
await storeVariable(stack.outputs());
const rows: (string | number)[][] = [];
for (const rotation of shuffled(rotations)) {
  const seconds = await rotate(stack, rotation, stack.outputs());
  console.error(`${rotation.secret}: taken, ${seconds.toFixed(0)} s`);
  rows.push([rotation.secret, rotation.restarts.join(", ") || "none", seconds.toFixed(0)]);
}
stack.destroy();
assert.deepEqual(stack.containers(), {});
console.log(renderTable(["secret", "containers replaced", "pulumi up, s"], rows));
