import { LABELS } from "../../components/shared/names.ts";
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

/** Returns the engine's objects with the stack's label. */
export async function objectsOf(stack: string, kinds: readonly Kind[]): Promise<OwnedObject[]> {
  const filter = ["--filter", `label=${LABELS.stack}=${stack}`];
  const found: OwnedObject[] = [];
  for (const kind of kinds) {
    const rows = await dockerRows(...COMMANDS[kind].list, ...filter);
    found.push(...rows.map(([id = "", name = ""]) => ({ kind, id, name })));
  }
  return found;
}

export async function removeObjects(objects: readonly OwnedObject[]): Promise<void> {
  for (const kind of KINDS) {
    const ids = new Set(objects.flatMap((one) => (one.kind === kind ? [one.id] : [])));
    if (ids.size > 0) await runDocker(...COMMANDS[kind].remove, ...ids);
  }
}

/** Lists containers by service, without jobs. @param columns of the engine's format, e.g. `{{.Names}}` */
export async function serviceRows(stack: string, columns: readonly string[]): Promise<string[][]> {
  const format = [`{{.Label "${LABELS.service}"}}`, ...columns].join("\t");
  const rows = await dockerRows(
    ...["ps", "--all", "--format", format],
    ...["--filter", `label=${LABELS.stack}=${stack}`, "--filter", `label=${LABELS.service}`],
  );
  return rows.sort(([a = ""], [b = ""]) => a.localeCompare(b));
}

/** Starts stopped services. A refresh would see no ports of them, for which Pulumi replaces them. */
export async function startStopped(stack: string): Promise<void> {
  const rows = await serviceRows(stack, ["{{.ID}}", "{{.State}}"]);
  const ids = rows.flatMap(([, id = "", state]) => (state === "exited" ? [id] : []));
  if (ids.length > 0) await runDocker("start", ...ids);
}
