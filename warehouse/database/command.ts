import { isTypedInClone, quote } from "../../contract/command-call.ts";
import { isServer } from "../engine/workspace.ts";

/** Place of the data: directory of a workspace, or the URL of a server as its label. */
export interface Place {
  readonly directory?: string;
  readonly label?: string;
}

/** A place, or what `databaseOf` returned for it. */
type Where = Place | string | null;

/** Returns the value of `--database` for a hint; null on the stack, where make targets set it. */
export function databaseOf(where: Where): string | null {
  if (where === null || typeof where === "string") return where;
  const { directory, label } = where;
  if (directory !== undefined) return directory;
  return label !== undefined && isServer(label) && isTypedInClone() ? label : null;
}

/** Returns a command for a hint. @param onStack the make target, if its name differs */
export function commandOn(where: Where, command: string, onStack = `make ${command}`): string {
  const database = databaseOf(where);
  return database === null ? onStack : `pipeline ${command} --database ${quote(database)}`;
}

/** Returns a hint that names a command. Parameters as in `commandOn`. */
export const hintToRun = (...command: Parameters<typeof commandOn>): string =>
  `run \`${commandOn(...command)}\``;

export const placeOf = (target: string): Place =>
  isServer(target) ? { label: target } : { directory: target };
