import { afterEach, expect, it } from "vitest";
import { startTestServer, type TestServer } from "./support.ts";

let server: TestServer;
afterEach(() => server.stop());

/** HTTP status of a statement of a user. */
const asked = async (user: string, password: string, sql = "SELECT 1"): Promise<number> => {
  const headers = { "X-ClickHouse-User": user, "X-ClickHouse-Key": password };
  return (await server.ask(sql, { headers })).status;
};
const RELOAD = "system reload config;";

it("reads passwords and users again on request only", async () => {
  const access = { password: "new", users: { bi: "other" } };
  server = await startTestServer({
    password: "old",
    users: { bi: "one" },
    reload: async () => access,
  });
  expect(await asked("bi", "one")).toBe(200);
  expect(await asked("default", "old", RELOAD)).toBe(200);
  expect([await asked("default", "old"), await asked("default", "new")]).toEqual([403, 200]);
  expect([await asked("bi", "one"), await asked("bi", "other")]).toEqual([403, 200]);
});

it("keeps the previous ones and reports the reason if that fails", async () => {
  server = await startTestServer({
    password: "old",
    reload: async () => Promise.reject(new Error("users.yaml is torn")),
  });
  const headers = { "X-ClickHouse-User": "default", "X-ClickHouse-Key": "old" };
  const { status, text } = await server.ask(RELOAD, { headers });
  expect([status, text]).toEqual([
    500,
    expect.stringContaining("ignored: Error: users.yaml is torn"),
  ]);
  expect(await asked("default", "old")).toBe(200);
});
