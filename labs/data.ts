import { UncheckedError, UserError } from "../contract/errors.ts";
import type { ReadableDatabase } from "../contract/ports.ts";
import { isoMicros } from "../contract/time.ts";
import { donorPool } from "../generator/behaviour/scenario/donors.ts";
import type { GeneratorConfig } from "../generator/config.ts";
import { fingerprint } from "../generator/fingerprint.ts";
import { printLine } from "../terminal/print.ts";
import { onInterrupt } from "../terminal/process.ts";
import { filledTables } from "../warehouse/batch/clear-layers.ts";
import type { StepResult } from "../warehouse/batch/run-step.ts";
import { stepLine, transform } from "../warehouse/batch/transform.ts";
import { hintToRun } from "../warehouse/database/command.ts";
import { openDatabase } from "../warehouse/database/open.ts";
import { demoConfig, scenarioConfig } from "../warehouse/demo/config.ts";
import { generate } from "../warehouse/demo/generate.ts";
import { openFresh } from "../warehouse/demo/workspace.ts";
import { holdsData, rememberWorkspace } from "../warehouse/engine/workspace.ts";
import { readAllSources } from "../warehouse/sources/stored.ts";
import { type Lab, readLabData } from "./lab.ts";

/** Source of the labs' data. */
export const LAB_SOURCE = "lab";

/** Workspace with the same settings and another seed. */
export const otherData = (directory: string): string => `${directory}-other`;

/** The directory of a lab's own data. */
export const dataOf = ({ scenario }: Lab, directory: string): string =>
  scenario === undefined ? directory : `${directory}-${scenario}`;

/** Creates the datasets that are missing, incomplete or of other settings. @param seed of the learner's data */
export async function prepareData(
  lab: Lab,
  directory: string,
  command: string,
  seed: string | undefined,
): Promise<void> {
  const place = dataOf(lab, directory);
  const { other_seed } = readLabData();
  if (seed === other_seed) {
    throw new UserError(`The seed ${seed} is that of the second dataset`, "use another seed");
  }
  for (const history of [
    historyOf(lab, otherData(place), other_seed),
    historyOf(lab, place, seed),
  ]) {
    if (!(await isReady(history))) await createWith(history, command, (db) => transform(db, FULL));
  }
  rememberWorkspace(place);
}

interface LabHistory {
  readonly directory: string;
  readonly config: GeneratorConfig;
  readonly about: string;
}

/** @param seed of the history; undefined for the seed that everybody has */
export function historyOf({ scenario }: Lab, directory: string, seed?: string): LabHistory {
  if (scenario !== undefined) {
    const config = scenarioConfig(scenario, seed);
    return { directory, config, about: `the scenario ${scenario}` };
  }
  const settings = readLabData();
  const { days, rate, behaviour } = settings;
  return {
    directory,
    config: demoConfig({ ...settings, seed: seed ?? settings.seed }),
    about: `${days} model days of ${behaviour}, ${rate} page events per minute`,
  };
}

/** True if the workspace has all layers of the history with the labs' settings. */
async function isReady({ directory, config }: LabHistory): Promise<boolean> {
  if (!holdsData(directory)) return false;
  return withData(directory, async (db) => {
    const filled = await filledTables(db);
    // The last step of the batch process fills dm.complete_period.
    if (!filled.includes("stg.manifest") || !filled.includes("dm.complete_period")) return false;
    return hasHistory(db, config);
  });
}

async function hasHistory(db: ReadableDatabase, config: GeneratorConfig): Promise<boolean> {
  const expected = fingerprint(config, donorPool(config).digest);
  const sources = [...(await readAllSources(db)).values()].flat();
  return sources.some(
    ({ manifest }) =>
      manifest?.fingerprint === expected && manifest.t_end === isoMicros(config.tEnd ?? 0),
  );
}

const printStep = (step: StepResult): void => printLine(stepLine(step));
export const FULL = { fullRefresh: true, waitSeconds: 30, onStep: printStep } as const;

/** Generates a history in an empty workspace, then works on it. */
export async function createWith(
  { directory, config, about }: LabHistory,
  command: string,
  work: (db: ReadableDatabase) => Promise<unknown>,
): Promise<void> {
  printLine(`${directory}: ${about}`);
  const release = onInterrupt(() =>
    process.stderr.write(`\nInterrupted, and ${directory} is incomplete. Start the lab again.\n`),
  );
  const db = await openFresh(directory, LAB_SOURCE, command);
  try {
    await generate(db, config, { name: LAB_SOURCE });
    await work(db);
  } finally {
    release();
    await db.close();
  }
}

/** Workspace that a lab damages. */
export const repairData = ({ number }: Lab, directory: string): string =>
  `${directory}-repair-${number}`;

/** @throws UncheckedError without the labs' data */
export function requireData(directory: string, lab: Lab): void {
  const { number, answer } = lab;
  const place = dataOf(lab, directory);
  const second = answer.kind === "repair" ? repairData(lab, place) : otherData(place);
  const missing = [place, second].find((place) => !holdsData(place));
  if (missing === undefined) return;
  throw new UncheckedError(
    `${missing} has no data of the labs`,
    hintToRun({ directory }, `lab start ${number}`),
  );
}

/** Opens a dataset of the labs for one piece of work; a process opens one workspace at a time. */
export async function withData<T>(
  directory: string,
  work: (db: ReadableDatabase) => Promise<T>,
): Promise<T> {
  const db = await openDatabase(directory);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
