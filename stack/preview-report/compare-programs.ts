import { DIGESTED } from "../../components/shared/content-digest.ts";
import { NO_RESOURCE } from "../preview.ts";
import { type Change, CONTAINER, type Inputs, type Kind, type Property } from "./changes.ts";
import { isBuiltFrom } from "./images.ts";
import type { DeclaredResource, ReadText } from "./program.ts";

interface Sources {
  readonly files: readonly string[];
  readonly read: ReadText;
}

export function comparePrograms(
  base: readonly DeclaredResource[],
  head: readonly DeclaredResource[],
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

/** Returns type, name and parent, by which Pulumi identifies a resource. */
const keyOf = ({
  type,
  name,
  parent = "",
}: Pick<DeclaredResource, "type" | "name" | "parent">): string => `${parent}::${type}::${name}`;

/** Returns the base's resource of the same name and parent, or of an alias. */
function previousOf(
  { type, name, parent = "", options }: DeclaredResource,
  previous: ReadonlyMap<string, DeclaredResource>,
  aliases: ReadonlyMap<string, readonly string[]>,
): DeclaredResource | undefined {
  const previousParents = (options.previousParents ?? []).map(
    (urn) => urn.split("::").at(-1) ?? urn,
  );
  const parents = [parent, ...(aliases.get(parent) ?? []), ...previousParents];
  return [name, ...(options.aliases ?? [])]
    .flatMap((one) => parents.map((of) => previous.get(keyOf({ type, name: one, parent: of }))))
    .find((one) => one !== undefined);
}

function change(
  kind: Kind,
  { type, name, parent }: DeclaredResource,
  before: Inputs | undefined,
  after: Inputs | undefined,
  properties: readonly Property[] = [],
): Change {
  // A configuration volume and its component have the same name.
  return { kind, type, name, isConfiguration: name === parent, before, after, properties };
}

function changeOf(
  before: DeclaredResource | undefined,
  after: DeclaredResource,
  sources: Sources,
): Change {
  if (!before) return change("added", after, undefined, after.inputs);
  const properties = differencesOf(before, after);
  const kind = kindOf(after, properties, sources);
  return change(kind, after, before.inputs, after.inputs, properties);
}

function kindOf(after: DeclaredResource, properties: readonly Property[], sources: Sources): Kind {
  if (isMadeOf(after, sources)) return "replaced";
  if (properties.length === 0) return "unchanged";
  return properties.some(({ path }) => isReplacing(after, path)) ? "replaced" : "changed";
}

/** True if a changed file is in the digest of a command or in the build context of an image. */
function isMadeOf({ name, inputs }: DeclaredResource, { files, read }: Sources): boolean {
  const digested = DIGESTED[name as keyof typeof DIGESTED] as readonly string[] | undefined;
  return files.some(
    (file) =>
      digested?.some((path) => file === path || file.startsWith(`${path}/`)) ||
      isBuiltFrom(inputs.build, file, read),
  );
}

/** True if a change of the property replaces the resource; containers and commands declare which. */
function isReplacing({ type, options }: DeclaredResource, path: string): boolean {
  const declared = (options.replaceOnChanges ?? []).map(firstKey);
  return declared.includes(firstKey(path)) || (IMMUTABLE.test(type) && type !== CONTAINER);
}

const IMMUTABLE = /^(docker|random):/;

const firstKey = (path: string): string => path.split(/[.[]/)[0] ?? "";

function differencesOf(before: DeclaredResource, after: DeclaredResource): Property[] {
  const ignored = after.options.ignoreChanges ?? [];
  return differences(before.inputs, after.inputs, "").filter(
    ({ path }) => !ignored.includes(firstKey(path)),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the differences; an alert rule is one value, so that the report shows the whole rule. */
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

/** Adds changes of dependants. Recorded ids name a resource: `sha256:broker-image`, `broker-service-id`. */
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

/** Returns the change of a dependant: a command without triggers is updated, not replaced. */
const dependantKind = ({ type, after }: Change): Kind =>
  type.startsWith("command:") && !after?.triggers ? "changed" : "replaced";
