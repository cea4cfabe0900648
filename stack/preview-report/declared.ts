import { DIGESTED } from "../../components/shared/content-digest.ts";
import { NO_RESOURCE } from "../preview.ts";
import { type Change, CONTAINER, type Inputs, type Kind, type Property } from "./changes.ts";
import { isBuiltFrom } from "./images.ts";
import type { Declared, ReadText } from "./program.ts";

interface Sources {
  readonly files: readonly string[];
  readonly read: ReadText;
}

export function comparePrograms(
  base: readonly Declared[],
  head: readonly Declared[],
  sources: Sources,
): Change[] {
  const previous = new Map(base.map((one) => [keyOf(one), one]));
  const aliases = new Map(head.map(({ name, options }) => [name, options.aliases ?? []]));
  const pairs = head.map((after) => ({ before: previousOf(after, previous, aliases), after }));
  const kept = new Set(pairs.map(({ before }) => before));
  const deleted = base.filter((one) => !kept.has(one));
  const changes = [
    ...pairs.map(({ before, after }) => changeOf(before, after, sources)),
    ...deleted.map((one) => change("deleted", one, one.inputs, undefined)),
  ].filter(({ type }) => !NO_RESOURCE.test(type));
  return withDependants(changes);
}

/** Pulumi identifies a resource by type, name and parent. */
const keyOf = ({ type, name, parent = "" }: Pick<Declared, "type" | "name" | "parent">): string =>
  `${parent}::${type}::${name}`;

/** The base's resource of the same name and parent, or of those that are now aliases. */
function previousOf(
  { type, name, parent = "", options }: Declared,
  previous: ReadonlyMap<string, Declared>,
  aliases: ReadonlyMap<string, readonly string[]>,
): Declared | undefined {
  const former = (options.formerParents ?? []).map((urn) => urn.split("::").at(-1) ?? urn);
  const parents = [parent, ...(aliases.get(parent) ?? []), ...former];
  return [name, ...(options.aliases ?? [])]
    .flatMap((one) => parents.map((of) => previous.get(keyOf({ type, name: one, parent: of }))))
    .find((one) => one !== undefined);
}

function change(
  kind: Kind,
  { type, name }: Declared,
  before: Inputs | undefined,
  after: Inputs | undefined,
  properties: readonly Property[] = [],
): Change {
  return { kind, type, name, before, after, properties };
}

function changeOf(before: Declared | undefined, after: Declared, sources: Sources): Change {
  if (!before) return change("added", after, undefined, after.inputs);
  const properties = differencesOf(before, after);
  const kind = kindOf(after, properties, sources);
  return change(kind, after, before.inputs, after.inputs, properties);
}

function kindOf(after: Declared, properties: readonly Property[], sources: Sources): Kind {
  if (isMadeOf(after, sources)) return "replaced";
  if (properties.length === 0) return "unchanged";
  return properties.some(({ path }) => isReplacing(after, path)) ? "replaced" : "changed";
}

/** Commands contain a digest of the files they read, and images that of theirs. */
function isMadeOf({ name, inputs }: Declared, { files, read }: Sources): boolean {
  const digested = DIGESTED[name as keyof typeof DIGESTED] as readonly string[] | undefined;
  return files.some(
    (file) =>
      digested?.some((path) => file === path || file.startsWith(`${path}/`)) ||
      isBuiltFrom(inputs.build, file, read),
  );
}

/** Containers and commands declare what replaces them; no other resource can be changed in place. */
function isReplacing({ type, options }: Declared, path: string): boolean {
  const declared = (options.replaceOnChanges ?? []).map(firstKey);
  return declared.includes(firstKey(path)) || (IMMUTABLE.test(type) && type !== CONTAINER);
}

const IMMUTABLE = /^(docker|random):/;

const firstKey = (path: string): string => path.split(/[.[]/)[0] ?? "";

function differencesOf(before: Declared, after: Declared): Property[] {
  const ignored = after.options.ignoreChanges ?? [];
  return differences(before.inputs, after.inputs, "").filter(
    ({ path }) => !ignored.includes(firstKey(path)),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An alert rule is one value, so that it is shown whole. */
function differences(before: unknown, after: unknown, path: string): Property[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isObject(before) || !isObject(after) || /^rules\[/.test(path)) {
    return [{ path, before, after }];
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) =>
    differences(before[key], after[key], path === "" ? key : `${path}["${key}"]`),
  );
}

/** Recorded ids name their resource: `sha256:broker-image` of an image, `broker-service-id`. */
function withDependants(changes: readonly Change[]): Change[] {
  const replaced = changes.filter(({ kind }) => kind === "replaced").map(({ name }) => name);
  if (replaced.length === 0) return [...changes];
  const ids = new RegExp(
    `[",](${replaced.flatMap((name) => [`sha256:${name}`, `${name}-id`]).join("|")})[",]`,
  );
  const next = changes.map((one) =>
    one.kind === "unchanged" || one.kind === "changed"
      ? { ...one, kind: ids.test(JSON.stringify(one.after)) ? dependantKind(one) : one.kind }
      : one,
  );
  const grown = next.filter(({ kind }) => kind === "replaced").length > replaced.length;
  return grown ? withDependants(next) : next;
}

/** A reload has the id in its environment, so it is updated: only triggers replace a command. */
const dependantKind = ({ type, after }: Change): Kind =>
  type.startsWith("command:") && !after?.triggers ? "changed" : "replaced";
