import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  fill,
  type KillBase,
  prepareKillBase,
  type Run,
  runAndKill,
  runUndisturbed,
  withCopy,
  withEmpty,
} from "../support/kill.ts";
import { type Message, uuid } from "../support/messages.ts";
import { sampleOf } from "../support/sample.ts";

/** Whole tables in several parts. */
const params = { rows_per_slice: 300 };
const FULL: Run = { mode: "full", params };
const INCREMENTAL: Run = { mode: "incremental", params };
const TIMEOUT = { timeout: 1_800_000 };

let base: KillBase;
beforeAll(async () => {
  base = await prepareKillBase();
});
afterAll(() => base?.[Symbol.dispose]());

describe("a run that was killed in load_dds", () => {
  test(
    "during a full refresh, after a load: an incremental run repairs both",
    TIMEOUT,
    async () => {
      const { digests } = await withCopy(base.directory, (copy) => runUndisturbed(copy, FULL));
      await withCopy(base.directory, async (directory) => {
        await killBefore(directory, INCREMENTAL, "dds.click");
        await killEverywhere({ directory, run: FULL }, async (copy, at) => {
          expect((await runUndisturbed(copy, INCREMENTAL)).digests, at).toEqual(digests);
        });
      });
    },
  );

  test(
    "with sessions that no page event has reached: a repeated run has each once",
    TIMEOUT,
    async () => {
      const visits = base.messages.filter(({ stream }) => stream === "device" || stream === "geo");
      await withEmpty(async (directory) => {
        await fill(directory, visits);
        const { digests } = await withCopy(directory, (copy) => runUndisturbed(copy, INCREMENTAL));
        await killEverywhere({ directory, run: INCREMENTAL }, async (copy, at) => {
          expect((await runUndisturbed(copy, INCREMENTAL)).digests, at).toEqual(digests);
        });
      });
    },
  );
});

describe("a killed run that moves events to other sessions, and a run that moves them again", () => {
  test.each([
    ["load_dds", DDS, "dds.event"],
    ["load_dm_sessions", /^dm\.session$/, "dm.session"],
  ])("in %s: equals a full refresh", TIMEOUT, async (_, within, file) => {
    const moves = [1, 2].map((by) => base.messages.filter(isBrowser).flatMap(toAnotherVisit(by)));
    const [first = [], second = []] = moves;
    expect(Math.min(first.length, second.length)).toBeGreaterThan(50);
    const { digests } = await withCopy(base.directory, async (copy) => {
      for (const move of moves) await fill(copy, move, { inNewEpoch: true });
      return runUndisturbed(copy, FULL);
    });
    await withCopy(base.directory, async (directory) => {
      await fill(directory, first, { inNewEpoch: true });
      const at = { directory, run: INCREMENTAL, within, required: file };
      const killed = await killEverywhere(at, async (copy, where) => {
        await fill(copy, second, { inNewEpoch: true });
        expect((await runUndisturbed(copy, INCREMENTAL)).digests, where).toEqual(digests);
      });
      expect(killed).toContain(file);
    });
  });
});

const isBrowser = ({ stream }: Message): boolean => stream === "browser";

/** Every fifth valid page event, moved to a new session and to a known one in turn. */
const toAnotherVisit =
  (by: number) =>
  (message: Message, index: number, all: readonly Message[]): Message[] => {
    if (index % 5 !== 0 || !isWhole(message)) return [];
    const known = all.slice(index + by * 20).find(isWhole);
    const click_id =
      (index / 5 + by) % 2 === 0 || !known ? uuid(by * 1000 + index) : clickOf(known);
    return [{ ...message, value: JSON.stringify({ ...JSON.parse(message.value), click_id }) }];
  };

const isWhole = ({ value }: Message): boolean => value.endsWith("}");
const clickOf = ({ value }: Message): string => JSON.parse(value).click_id;

const filesOf = async (directory: string, run: Run): Promise<readonly string[]> =>
  (await withCopy(directory, (copy) => runUndisturbed(copy, run))).files;

/** Kills before the first statement of a file or table that has several. */
async function killBefore(directory: string, run: Run, file: string): Promise<void> {
  const files = await filesOf(directory, run);
  expect(files.lastIndexOf(file)).toBeGreaterThan(files.indexOf(file));
  expect(await runAndKill(directory, run, { statement: files.indexOf(file) + 1 })).toBe(true);
}

interface KillPoints {
  readonly directory: string;
  readonly run: Run;
  /** Files and tables of the statements. */
  readonly within?: RegExp;
  /** File or table before which every sample kills the run. */
  readonly required?: string;
}

/** Files and tables of load_dds. */
const DDS = /^(changed\/|dds\.)/;

/** Kills before statements of load_dds or others, each in a separate copy. Returns their files. */
async function killEverywhere(
  { directory, run, within = DDS, required = "" }: KillPoints,
  resume: (copy: string, where: string) => Promise<void>,
): Promise<readonly string[]> {
  const killed: string[] = [];
  const all = [...(await filesOf(directory, run)).entries()];
  const points = all.filter(([, file]) => within.test(file));
  const chosen = sampleOf(points, 2);
  const needed = points.find(([, file]) => file === required);
  for (const [index, file] of needed && !chosen.includes(needed) ? [...chosen, needed] : chosen) {
    await withCopy(directory, async (copy) => {
      const statement = index + 1;
      expect(await runAndKill(copy, run, { statement })).toBe(true);
      await resume(copy, `killed before statement ${statement}, of ${file}`);
    });
    killed.push(file);
  }
  expect(killed).not.toEqual([]);
  return killed;
}
