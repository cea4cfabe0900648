import { initBi } from "../../superset/import/init.ts";
import type { Marts } from "./marts.ts";
import type { Superset } from "./superset.ts";

interface Run {
  readonly login: Superset["login"];
  /** Address of the marts as given to Superset. */
  readonly password: string;
  /** Settings for a Superset that has just been started. */
  readonly waitSeconds?: number;
}

/** Runs `bi-init` on the marts of a test without terminal output. */
export const runInit = (marts: Marts, { login, password, waitSeconds = 1_200 }: Run) =>
  initBi(
    marts.db,
    { superset: login, marts: marts.address, martsPassword: password, waitSeconds },
    { update() {}, done() {}, stop() {} },
  );
