import {
  isComponent,
  isConfiguration,
  nameOf,
  type Preview,
  type Step,
  typeOf,
} from "../preview.ts";

export type Kind = "unchanged" | "added" | "changed" | "replaced" | "deleted";
export type Inputs = Readonly<Record<string, unknown>>;

export interface Property {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export const CONTAINER = "docker:index/container:Container";

export interface Change {
  readonly kind: Kind;
  /** Pulumi's type token, like `docker:index/container:Container`. */
  readonly type: string;
  readonly name: string;
  /** True for a volume with files of the program. */
  readonly isConfiguration: boolean;
  readonly before: Inputs | undefined;
  readonly after: Inputs | undefined;
  readonly properties: readonly Property[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  same: "unchanged",
  create: "added",
  update: "changed",
  replace: "replaced",
  delete: "deleted",
};

/** Returns changes; the three steps of a replacement are one change. */
export const changesOf = ({ steps }: Pick<Preview, "steps">): Change[] =>
  steps.flatMap((step) => {
    const kind = KINDS[step.op];
    if (kind === undefined || isComponent(step)) return [];
    const [before, after] = [step.oldState?.inputs, step.newState?.inputs];
    const properties = kind === "changed" || kind === "replaced" ? propertiesOf(step) : [];
    return [
      {
        ...{ kind, type: typeOf(step), name: nameOf(step) },
        ...{ isConfiguration: isConfiguration(step), before, after, properties },
      },
    ];
  });

/** Returns the provider's list of differences, or all inputs that differ if there is none. */
function propertiesOf({ oldState, newState, detailedDiff }: Step): Property[] {
  const before = oldState?.inputs ?? {};
  const after = newState?.inputs ?? {};
  const paths = Object.keys(detailedDiff ?? {});
  const named = paths.length > 0 ? paths : Object.keys({ ...before, ...after }).sort();
  return named
    .map((path) => ({ path, before: valueAt(before, path), after: valueAt(after, path) }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after));
}

/** Returns the value at a path such as `uploads[0].content` or `labels["a.b"]`. */
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
