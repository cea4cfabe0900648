import { isServer } from "./workspace.ts";

/** Place of the data: `directory` is the embedded engine's and is unset on a stack. */
export interface Place {
  readonly directory?: string | null;
}

/** Returns a command for a hint. @param onStack the make target, if its name differs */
export const commandOn = (place: Place, command: string, onStack = `make ${command}`): string =>
  typeof place.directory === "string"
    ? `pipeline ${command} --database ${place.directory}`
    : onStack;

/** Returns a hint that names a command. Parameters as in `commandOn`. */
export const hintToRun = (...command: Parameters<typeof commandOn>): string =>
  `run \`${commandOn(...command)}\``;

export const placeOf = (target: string): Place => (isServer(target) ? {} : { directory: target });
