import { isComponent, nameOf, type Step, typeOf } from "../preview.ts";

export type Kind = "added" | "changed" | "replaced" | "deleted";

export interface Property {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Change {
  readonly kind: Kind;
  readonly name: string;
  readonly type: string;
  readonly step: Step;
  readonly properties: readonly Property[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  create: "added",
  update: "changed",
  replace: "replaced",
  delete: "deleted",
};

/** Resources a plan touches. The three steps of a replacement are one change. */
export const changesOf = (steps: readonly Step[]): Change[] =>
  steps.flatMap((step) => {
    const kind = KINDS[step.op];
    if (kind === undefined || isComponent(step)) return [];
    const properties = kind === "changed" || kind === "replaced" ? propertiesOf(step) : [];
    return [{ kind, name: nameOf(step), type: shortType(step), step, properties }];
  });

/** `docker:index/container:Container` → `Container`. */
const shortType = (step: Step): string => typeOf(step).split(":").at(-1) ?? "";

/** What differs, by the provider's own account, or by the inputs where it gives none. */
function propertiesOf(step: Step): Property[] {
  const before = step.oldState?.inputs ?? {};
  const after = step.newState?.inputs ?? {};
  const paths = Object.keys(step.detailedDiff ?? {});
  const named = paths.length > 0 ? paths : Object.keys({ ...before, ...after }).sort();
  return named
    .map((path) => ({ path, before: valueAt(before, path), after: valueAt(after, path) }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after));
}

/** Follows `uploads[0].content` or `labels["a.b"]`. */
export function valueAt(root: unknown, path: string): unknown {
  const keys = [...path.matchAll(/\["([^"]+)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null
        ? (value as Record<string, unknown>)[key]
        : undefined,
    root,
  );
}
