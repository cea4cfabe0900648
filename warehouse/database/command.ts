import { isServer } from "./workspace.ts";

/** `directory` is the embedded engine's, unset on a stack. */
export interface Place {
  readonly directory?: string | null;
}

/** Returns a command for a hint. @param onStack the make target, if its name differs */
export const commandOn = (place: Place, command: string, onStack = `make ${command}`): string =>
  typeof place.directory === "string"
    ? `pipeline ${command} --database ${place.directory}`
    : onStack;

export const placeOf = (target: string): Place => (isServer(target) ? {} : { directory: target });
