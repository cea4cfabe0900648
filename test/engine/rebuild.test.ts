/** @module-tag slow */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { type CliResult, pipelineAsync } from "../support/cli.ts";
import { openTestEngine } from "../support/engine.ts";
import { openTestServer } from "../support/server.ts";

const directory = mkdtempSync(join(tmpdir(), "rebuild-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const inBoth = "INSERT INTO stg.geo_raw (epoch, _partition, _offset) VALUES (1, 0, 1)";
const inOds = (offset: number) =>
  `INSERT INTO ods.geo_event (epoch, _partition, _offset, load_id) VALUES (1, 0, ${offset}, 1)`;

interface Target {
  /** The command line's `ddl` on the target. */
  readonly ddl: (words: readonly string[], env?: Record<string, string>) => Promise<CliResult>;
  /** Runs `work` on the target while the command line does not. */
  readonly use: <T>(work: (db: Database) => Promise<T>) => Promise<T>;
}

const embedded: Target = {
  ddl: (words, env) => pipelineAsync(["ddl", "--database", directory, ...words], env),
  async use(work) {
    await using engine = await openTestEngine({ directory, withSchema: false });
    return await work(engine.db);
  },
};

async function expectQuestion({ ddl, use }: Target): Promise<void> {
  expect((await ddl([])).status).toBe(0);
  await use(async (db) => {
    for (const sql of [inBoth, inOds(1), inOds(2)]) await db.run(sql);
  });
  const rows = () =>
    use(
      async (db) => (await db.rows<{ n: number }>("SELECT count() AS n FROM ods.geo_event"))[0]?.n,
    );

  const refused = await ddl(["--rebuild", "ods"]);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toMatch(
    /ods holds the only copy of 1 geo messages.*Nothing was changed\n {2}hint: .*pipeline ddl --rebuild ods --yes/,
  );
  expect(await rows()).toBe(2);
  // Layers above come back from ods.
  expect((await ddl(["--rebuild", "dds"])).status).toBe(0);
  expect(await rows()).toBe(2);

  expect((await ddl(["--rebuild", "ods", "--yes"])).status).toBe(0);
  expect(await rows()).toBe(0);
  await use((db) => db.run(inOds(2)));
  expect((await ddl(["--rebuild", "ods"], { YES: "1" })).status).toBe(0);
  // What stg holds comes back: nobody is asked.
  await use((db) => db.run(inOds(1)));
  expect((await ddl(["--rebuild", "ods"])).status).toBe(0);
  expect(await rows()).toBe(0);
}

test("a rebuild of ods asks where stg lacks its rows: embedded", () => expectQuestion(embedded));

test("a rebuild of ods asks where stg lacks its rows: server", async () => {
  await using server = await openTestServer();
  await expectQuestion({
    ddl: (words, env) => pipelineAsync(["ddl", "--database", server.url, ...words], env),
    use: (work) => work(server.db),
  });
});
