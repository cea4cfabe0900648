import { PROTECTED, stackNames } from "../../components/shared/names.ts";
import { LABELS } from "../../contract/labels.ts";
import { dockerRows, runDocker } from "../../terminal/docker.ts";

const COMMANDS = {
  container: {
    list: ["ps", "--all", "--no-trunc", "--format", "{{.ID}}\t{{.Names}}"],
    remove: ["rm", "--force", "--volumes"],
  },
  network: {
    list: ["network", "ls", "--no-trunc", "--format", "{{.ID}}\t{{.Name}}"],
    remove: ["network", "rm"],
  },
  volume: {
    list: ["volume", "ls", "--format", "{{.Name}}\t{{.Name}}"],
    remove: ["volume", "rm"],
  },
  image: {
    list: ["image", "ls", "--all", "--no-trunc", "--format", "{{.ID}}\t{{.Repository}}:{{.Tag}}"],
    remove: ["image", "rm", "--force"],
  },
} as const;

type Kind = keyof typeof COMMANDS;

/** Kinds in order of deletion: containers first, because they use the others. */
export const KINDS = Object.keys(COMMANDS) as Kind[];

export interface OwnedObject {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
}

/** Id of a Pulumi state; undefined before its first run, when it owns nothing. */
type Identity = string | undefined;

/** Returns the engine's objects that a state created. */
export const ownedObjects = (identity: Identity, kinds: readonly Kind[]): Promise<OwnedObject[]> =>
  identity === undefined ? Promise.resolve([]) : labelledObjects(ownedBy(identity), kinds);

/** Returns the engine's objects with a stack's name, whichever state created them. */
export const objectsNamed = (stack: string, kinds: readonly Kind[]): Promise<OwnedObject[]> =>
  labelledObjects(named(stack), kinds);

const ownedBy = (identity: string): string[] => filter(LABELS.identity, identity);
const named = (stack: string): string[] => filter(LABELS.stack, stackNames(stack).stack);
const filter = (label: string, value: string): string[] => ["--filter", `label=${label}=${value}`];

async function labelledObjects(
  withLabel: readonly string[],
  kinds: readonly Kind[],
): Promise<OwnedObject[]> {
  const found: OwnedObject[] = [];
  for (const kind of kinds) {
    const rows = await dockerRows(...COMMANDS[kind].list, ...withLabel);
    found.push(...rows.map(([id = "", name = ""]) => ({ kind, id, name })));
  }
  return found;
}

/** Returns the protected volumes with a stack's name that another state created. */
export async function foreignProtectedVolumes(stack: string, identity: Identity) {
  const format = ["--format", `{{.Name}}\t{{.Label "${LABELS.identity}"}}`];
  const isProtected = filter(PROTECTED.label, PROTECTED.value);
  const rows = await dockerRows("volume", "ls", ...format, ...named(stack), ...isProtected);
  return rows.flatMap(([name = "", owner]) => (owner === identity ? [] : [name]));
}

export async function removeObjects(objects: readonly OwnedObject[]): Promise<void> {
  for (const kind of KINDS) {
    const ids = new Set(objects.flatMap((one) => (one.kind === kind ? [one.id] : [])));
    if (ids.size > 0) await runDocker(...COMMANDS[kind].remove, ...ids);
  }
}

/** Lists containers by service, without jobs. @param columns of the engine's format, e.g. `{{.Names}}` */
export async function serviceRows(
  identity: Identity,
  columns: readonly string[],
): Promise<string[][]> {
  if (identity === undefined) return [];
  const format = [`{{.Label "${LABELS.service}"}}`, ...columns].join("\t");
  const services = ["--filter", `label=${LABELS.service}`];
  const rows = await dockerRows(
    ...["ps", "--all", "--format", format, ...ownedBy(identity), ...services],
  );
  return rows.sort(([a = ""], [b = ""]) => a.localeCompare(b));
}
