import { afterAll, beforeAll, expect, test } from "vitest";
import { proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { generateMessages } from "../support/messages.ts";
import { load, publish } from "../support/pipeline.ts";
import { openTestServer, type TestServer } from "../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
  const { messages } = await generateMessages("deep", 3);
  await publish(server.engine, messages);
  await load(server.engine, "incremental");
});
afterAll(() => server[Symbol.asyncDispose]());

test("a message delivered again after its load is no difference", async () => {
  await server.engine.run(
    "INSERT INTO stg.device_raw SELECT * REPLACE (now64(6) AS ingested_at) FROM stg.device_raw",
  );
  expect(await proveDeep(server.db)).toMatchObject({ layers: [], rows: [] });
});

test("a changed value is named with its row and column", async () => {
  const changed =
    "SELECT * REPLACE ('Lynx' AS browser_name) FROM ods.browser_event WHERE _offset = 7";
  await server.engine.run(`INSERT INTO ods.browser_event ${changed}`);
  await server.engine.run(
    "DELETE FROM ods.browser_event WHERE _offset = 7 AND browser_name != 'Lynx'",
  );
  const { layers, rows } = await proveDeep(server.db);
  expect(layers).toEqual(["ods"]);
  expect(rows).toMatchObject([{ table: "browser_event", columns: ["browser_name"] }]);
  expect(rows[0]?.key).toContain("_offset = 7");
});
