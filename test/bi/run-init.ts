import { initBi } from "../../superset/import/init.ts";
import type { Marts } from "./marts.ts";
import type { Superset } from "./superset.ts";

interface Run {
  readonly login: Superset["login"];
  /** Of the marts, as Superset gets it. */
  readonly password: string;
  /** For a Superset that has just been started. */
  readonly waitSeconds?: number;
}

/** `bi-init` on the marts of a test, without a word on the terminal. */
export const runInit = (marts: Marts, { login, password, waitSeconds = 300 }: Run) =>
  initBi(
    marts.db,
    { superset: login, marts: marts.address, martsPassword: password, waitSeconds },
    { update() {}, done() {}, stop() {} },
  );
