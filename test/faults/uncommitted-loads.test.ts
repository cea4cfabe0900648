import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { UserError } from "../../contract/errors.ts";
import { STREAMS } from "../../contract/streams.ts";
import { proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { clearAll } from "../support/engine.ts";
import { generateMessages, type Message } from "../support/messages.ts";
import { digestsFromScratch, digestsOf, load, loadStep, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
let messages: readonly Message[];
beforeAll(async () => {
  ({ messages } = await generateMessages("uncommitted", 2));
});

const empty = async (...tables: readonly string[]): Promise<void> => {
  for (const table of tables) await engine.db.run(`TRUNCATE TABLE ${table}`);
};

describe.each(STREAMS)("rows of ods.%s_event without a plan and a commit", (stream) => {
  beforeEach(async () => {
    await clearAll(engine.db);
    await publish(engine.db, messages);
    await load(engine.db, "full");
    const others = STREAMS.filter((name) => name !== stream);
    await empty(...STREAMS.map((name) => `ods.${name}_event_errors`));
    await empty(...others.map((name) => `ods.${name}_event`));
    await empty("dm_internal.load_commit", "dds.load_commit", "ods.load_commit", "ods.load_range");
  });

  test("are removed by the next load", async () => {
    await load(engine.db, "incremental");
    const repaired = await digestsOf(engine.db);
    expect(repaired).toEqual(await digestsFromScratch(engine.db));
  });

  test("are removed by a full refresh if later loads are committed", async () => {
    await engine.db.run("INSERT INTO stg.lease (id) SELECT max(id) + 1 FROM stg.lease");
    await engine.db.run("INSERT INTO ods.load_commit (load_id) SELECT max(id) FROM stg.lease");
    await load(engine.db, "full");
    const repaired = await digestsOf(engine.db);
    expect(repaired).toEqual(await digestsFromScratch(engine.db));
  });
});

describe("a load that dds has taken, without its commit row", () => {
  let loads: Promise<{ load_id: number }[]>;
  beforeEach(async () => {
    await clearAll(engine.db);
    const middle = messages.length / 2;
    for (const half of [messages.slice(0, middle), messages.slice(middle)]) {
      await publish(engine.db, half);
      await load(engine.db, "incremental");
    }
    loads = engine.db.rows("SELECT load_id FROM ods.load_commit ORDER BY load_id");
  });

  const lose = async (n: number): Promise<number> => {
    const { load_id } = (await loads).at(n) ?? { load_id: -1 };
    await engine.db.run(`DELETE FROM ods.load_commit WHERE load_id = ${load_id}`);
    return load_id;
  };
  const rowsOfOds = () =>
    engine.db.rows(
      "SELECT _table, load_id, count() FROM merge('ods', '_event|range') GROUP BY ALL ORDER BY ALL",
    );
  const step = (id: string, fullRefresh: boolean) => loadStep(engine.db, id, { fullRefresh });

  test.each([
    ["the first", 0, "load_ods", false],
    ["the latest", -1, "load_ods", false],
    ["the first", 0, "load_ods", true],
    ["the first", 0, "load_dm_summary", false],
    ["the latest", -1, "load_dm_summary", false],
  ])(
    "stops the step, which removes nothing: %s (%i), %s, full refresh %s",
    async (_, n, only, isFull) => {
      await lose(n);
      const before = await rowsOfOds();
      // ods has the only copy.
      await empty("stg.raw");
      await expect(step(only, isFull)).rejects.toThrow(/ods.load_commit has (no rows for|lost)/);
      expect(await rowsOfOds()).toEqual(before);
    },
  );

  test.each([
    ["a full refresh", () => load(engine.db, "full")],
    ["a load_dds that took both", () => step("load_dds", true)],
  ])("also stops the load after %s, and is not accounted for", async (_, then) => {
    await then();
    await lose(0);
    await empty("stg.raw");
    const before = await rowsOfOds();
    for (const isFull of [false, true]) {
      await expect(step("load_ods", isFull)).rejects.toThrow(/ods.load_commit has no rows for/);
    }
    expect(await rowsOfOds()).toEqual(before);
    expect((await prove(engine.db)).verdict).not.toBe("accounted");
  });

  test("is named, and the statement in the hint repairs it", async () => {
    const lost = [await lose(0), await lose(-1)];
    const error = await step("load_ods", false).catch((cause: UserError) => cause);
    expect(error).toMatchObject({
      message: `load_ods stopped the run: ods.load_commit has no rows for loads ${lost.join(", ")}; load_ods would delete their rows in ods. The step changed no table`,
      hint: expect.stringContaining(`load_id IN (${lost.join(", ")})`),
    });
    await engine.db.run(/INSERT.*/.exec(`${(error as UserError).hint}`)?.[0] ?? "");
    await load(engine.db, "incremental");
    expect(await prove(engine.db)).toMatchObject({
      unaccounted: 0,
      waiting: [],
      layers: expect.anything(),
    });
    expect(await proveDeep(engine.db)).toMatchObject({ layers: [] });
  });
});
