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
import type { Message } from "../support/messages.ts";
import { uuid } from "../support/messages.ts";

/** Several buckets, and ids that are looked up by their hash. */
const params = { bucket_rows: 300, few_events: 0 };
const FULL: Run = { mode: "full", params };
const INCREMENTAL: Run = { mode: "incremental", params };
const TIMEOUT = { timeout: 300_000 };

let base: KillBase;
beforeAll(async () => {
  base = await prepareKillBase();
});
afterAll(() => base[Symbol.dispose]());

describe("a run killed in load_dds, then", () => {
  test(
    "an incremental one: as if there had been no full refresh, and no load before",
    TIMEOUT,
    async () => {
      const { digests } = await withCopy(base.directory, (copy) => runUndisturbed(copy, FULL));
      await withCopy(base.directory, async (directory) => {
        await killBefore(directory, INCREMENTAL, "load_dds/click.sql");
        await killEverywhere(directory, FULL, async (copy, at) => {
          expect((await runUndisturbed(copy, INCREMENTAL)).digests, at).toEqual(digests);
        });
      });
    },
  );

  test("the same one, on visits that no page event has reached", TIMEOUT, async () => {
    const visits = base.messages.filter(({ stream }) => stream === "device" || stream === "geo");
    await withEmpty(async (directory) => {
      await fill(directory, visits);
      const { digests } = await withCopy(directory, (copy) => runUndisturbed(copy, INCREMENTAL));
      await killEverywhere(directory, INCREMENTAL, async (copy, at) => {
        expect((await runUndisturbed(copy, INCREMENTAL)).digests, at).toEqual(digests);
      });
    });
  });

  test("one with newer messages of its events: as a full refresh", TIMEOUT, async () => {
    const newer = base.messages.filter(isBrowser).flatMap(toAnotherVisit);
    const arrive = (copy: string) => fill(copy, newer, { inNewEpoch: true });
    const { digests } = await withCopy(base.directory, async (copy) => {
      await arrive(copy);
      return runUndisturbed(copy, FULL);
    });
    await killEverywhere(base.directory, INCREMENTAL, async (copy, at) => {
      await arrive(copy);
      expect((await runUndisturbed(copy, INCREMENTAL)).digests, at).toEqual(digests);
    });
  });
});

const isBrowser = ({ stream }: Message): boolean => stream === "browser";

/** Every fifth page event, moved to a visit of its own or to one that has others; nothing of a broken one. */
function toAnotherVisit(message: Message, index: number): Message[] {
  if (index % 5 !== 0 || !message.value.endsWith("}")) return [];
  const value = JSON.stringify({ ...JSON.parse(message.value), click_id: uuid(index % 3) });
  return [{ ...message, value }];
}

const filesOf = async (directory: string, run: Run): Promise<readonly string[]> =>
  (await withCopy(directory, (copy) => runUndisturbed(copy, run))).files;

/** Kills before the first statement of a file that several buckets run. */
async function killBefore(directory: string, run: Run, file: string): Promise<void> {
  const files = await filesOf(directory, run);
  expect(files.lastIndexOf(file)).toBeGreaterThan(files.indexOf(file));
  expect(await runAndKill(directory, run, { statement: files.indexOf(file) + 1 })).toBe(true);
}

/** Kills before each statement of load_dds, each in a copy of its own. */
async function killEverywhere(
  directory: string,
  run: Run,
  goOn: (copy: string, at: string) => Promise<void>,
): Promise<void> {
  for (const [index, file] of (await filesOf(directory, run)).entries()) {
    if (!file.startsWith("load_dds/")) continue;
    await withCopy(directory, async (copy) => {
      const statement = index + 1;
      expect(await runAndKill(copy, run, { statement })).toBe(true);
      await goOn(copy, `killed before statement ${statement}, of ${file}`);
    });
  }
}
