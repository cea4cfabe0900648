import { afterAll, beforeAll } from "vitest";
import { SupersetClient, waitForSuperset } from "../../superset/import/client.ts";
import type { BiOutcome } from "../../superset/import/outcome.ts";
import { type Marts, startMarts } from "./marts.ts";
import { runInit } from "./run-init.ts";
import { type Superset, startSuperset } from "./superset.ts";

/**
 * One Superset with its marts for all cases of a file, because it takes most of a minute to start.
 */
export interface TestSystem {
  readonly superset: Superset;
  readonly marts: Marts;
  /** Environment of the marts at this moment. */
  password: string;
  /** Runs `bi-init` with the given values in place of the correct ones. */
  run(change?: Partial<{ login: object; password: string }>): Promise<BiOutcome>;
  login(): Promise<SupersetClient>;
  /** The only row of a query on the marts. */
  only<T>(sql: string): Promise<T>;
}

/** Starts the environment before the cases of a file, and stops it after them. */
export function useSystem(first: string): TestSystem {
  let superset: Superset | undefined;
  let marts: Marts | undefined;
  beforeAll(async () => {
    marts = await startMarts(first);
    superset = await startSuperset();
    await waitForSuperset(superset.login.url, 1_200);
  });
  afterAll(async () => {
    await superset?.stop();
    await marts?.stop();
  });
  const system: TestSystem = {
    get superset() {
      return there(superset);
    },
    get marts() {
      return there(marts);
    },
    password: first,
    run: (change = {}) =>
      runInit(system.marts, {
        login: { ...system.superset.login, ...change.login },
        password: change.password ?? system.password,
      }),
    login: () => SupersetClient.login(system.superset.login),
    async only<T>(sql: string) {
      const [row] = await system.marts.db.rows<T>(sql);
      return there(row);
    },
  };
  return system;
}

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("not there");
  return value;
}

/** Returns the error message of a refused run. */
export const rejection = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error("nothing was refused"),
    (error: Error) => error,
  );
