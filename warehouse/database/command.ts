import { isServer } from "./workspace.ts";

/** Where a hint's command runs. `directory`: of an embedded engine; a stack has none. */
export interface Place {
  readonly directory?: string | null;
}

/**
 * A command for a hint that works where the user is: a make target on a stack, and on an embedded engine
 * the command line with its directory. No hint names a make target of the other place.
 * @param onStack the make target where it is not called as the command
 */
export const commandOn = (place: Place, command: string, onStack = `make ${command}`): string =>
  typeof place.directory === "string"
    ? `pipeline ${command} --database ${place.directory}`
    : onStack;

/** Where `--database` points to. */
export const placeOf = (target: string): Place => (isServer(target) ? {} : { directory: target });
