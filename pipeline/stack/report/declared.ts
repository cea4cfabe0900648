import { DIGESTED } from "../content-digest.ts";
import { isComponent, nameOf, type Preview, type Step, typeOf } from "../preview.ts";
import { isBuiltFrom } from "./images.ts";
import type { Declared } from "./program.ts";

/** The difference of two programs, as a preview would print it: nothing runs for it. */
export function compareDeclared(
  before: readonly Declared[],
  after: readonly Declared[],
  changedFiles: readonly string[],
  checkout: string,
): Preview {
  const former = new Map(before.map((one) => [keyOf(one), one]));
  const present = new Set(after.map(keyOf));
  const again = (one: Declared) => isMadeAgain(one, changedFiles, checkout);
  const kept = after.map((one) => stepOf(former.get(keyOf(one)), one, again(one)));
  const gone = before
    .filter((one) => !present.has(keyOf(one)))
    .map((one) => stepOf(one, undefined));
  const steps = [...kept, ...gone].filter((step) => !isComponent(step));
  return { steps: withFollowers(steps), diagnostics: [] };
}

const keyOf = ({ type, name }: Declared): string => `${type}::${name}`;

/** What a file alone changes: commands hold its digest, images its content. */
function isMadeAgain(one: Declared, files: readonly string[], checkout: string): boolean {
  const digested = DIGESTED[one.name as keyof typeof DIGESTED] as readonly string[] | undefined;
  return files.some(
    (file) =>
      digested?.some((path) => file === path || file.startsWith(`${path}/`)) ||
      isBuiltFrom(one.inputs.build, file, checkout),
  );
}

function stepOf(before: Declared | undefined, after: Declared | undefined, again = false): Step {
  const paths = before && after ? differing(before, after) : [];
  const one = after ?? before;
  return {
    op: operation(before, after, again ? ["triggers"] : paths),
    urn: `urn:pulumi:declared::event-pipeline::${one?.type}::${one?.name}`,
    ...(before ? { oldState: { inputs: before.inputs } } : {}),
    ...(after ? { newState: { inputs: after.inputs } } : {}),
    detailedDiff: Object.fromEntries(paths.map((path) => [path, { kind: "update" }])),
  };
}

function operation(
  before: Declared | undefined,
  after: Declared | undefined,
  paths: readonly string[],
): string {
  if (!before) return "create";
  if (!after) return "delete";
  if (paths.length === 0) return "same";
  return paths.every((path) => changesInPlace(after, path)) ? "update" : "replace";
}

/** What the engine changes while the container runs; all else makes it anew. */
const LIMITS =
  /^(memory|memorySwap|cpuShares|cpuSet|restart|maxRetryCount|mustRun|wait|destroyGrace)/;

function changesInPlace({ type, options }: Declared, path: string): boolean {
  const key = path.split(/[.[]/)[0] ?? "";
  const replacing = (options.replaceOnChanges ?? []).map((one) => one.split("[")[0]);
  if (replacing.includes(key)) return false;
  return type.startsWith("docker:") ? LIMITS.test(key) : true;
}

/** Paths of the inputs that differ, without those that the resource ignores. */
function differing(before: Declared, after: Declared): string[] {
  const ignored = after.options.ignoreChanges ?? [];
  return differences(before.inputs, after.inputs, "").filter(
    (path) => !ignored.includes(path.split(/[.[]/)[0] ?? ""),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function differences(before: unknown, after: unknown, path: string): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const deep = isObject(before) && isObject(after) && !/^rules\[/.test(path);
  if (!deep) return [path];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) =>
    differences(before[key], after[key], path === "" ? key : `${path}["${key}"]`),
  );
}

/**
 * A recorded id tells only whose it is (`broker-image` has `sha256:broker-image`, a container
 * `…-id`): what names one that is made anew changes with it, and so on.
 */
function withFollowers(steps: readonly Step[]): Step[] {
  const made = steps.filter(({ op }) => op === "replace").map(nameOf);
  const ids = new RegExp(
    `[",](${made.flatMap((name) => [`sha256:${name}`, `${name}-id`]).join("|")})[",]`,
  );
  const follows = ({ newState }: Step) => made.length > 0 && ids.test(JSON.stringify(newState));
  const next = steps.map((step) =>
    ["same", "update"].includes(step.op) && follows(step) ? { ...step, op: following(step) } : step,
  );
  const grown = next.filter(({ op }) => op === "replace").length > made.length;
  return grown ? withFollowers(next) : next;
}

/** A reload has the ids among its environment: it is changed, not made anew. */
const following = (step: Step): string =>
  typeOf(step).startsWith("command:") && !step.newState?.inputs?.triggers ? "update" : "replace";
