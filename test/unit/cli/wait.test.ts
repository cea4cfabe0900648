import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DatabaseError, DatabaseUnavailable } from "../../../contract/errors.ts";
import type { Database } from "../../../contract/ports.ts";
import { findStep, readPlan } from "../../../warehouse/batch/plan.ts";
import { runStep } from "../../../warehouse/batch/run-step.ts";
import { explain, ServerDatabase } from "../../../warehouse/database/http.ts";

// Waits return at once, but advance the clock.
vi.mock("node:timers/promises", async (original) => ({
  ...(await original<object>()),
  setTimeout: async (ms: number) => void vi.advanceTimersByTime(ms),
}));
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const away = new DatabaseUnavailable(
  "ClickHouse at http://x cannot be reached (ECONNREFUSED).",
  "make up",
);

/** A server that returns these row counts in order, and repeats the last. */
function answering(...answers: readonly (number | Error)[]): Database {
  let turn = 0;
  const rows = async (): Promise<never[]> => {
    const answer = answers[Math.min(turn++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return [{ count: answer }] as never[];
  };
  const nothing = async () => undefined;
  const db: Database = {
    ...{ label: "x", rows, run: nothing, insertTsv: nothing, close: nothing },
    inDatabase: () => db,
  };
  return db;
}

const wait = (db: Database, waitSeconds: number) => {
  const plan = readPlan();
  return runStep(db, plan, findStep(plan, "wait_for_stg_data"), { fullRefresh: true, waitSeconds });
};

test("the wait for data survives a restart of the database", async () => {
  expect(await wait(answering(0, away, away, 5), 30)).toMatchObject({ id: "wait_for_stg_data" });
});

test("a database that stays unavailable fails the wait at its end, by name", async () => {
  const begun = performance.now();
  await expect(wait(answering(0, away), 2)).rejects.toThrow(/cannot be reached/);
  expect(performance.now() - begun).toBeGreaterThanOrEqual(2_000);
});

test.each([
  ["one that was never there", away],
  ["a schema that is missing", new DatabaseError("no table", 60)],
])("%s fails the wait at once", async (_, error) => {
  const begun = performance.now();
  await expect(wait(answering(error), 30)).rejects.toThrow(/cannot be reached|schema is missing/);
  await expect(wait(answering(0, new DatabaseError("no table", 60)), 30)).rejects.toThrow(/schema/);
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test("a server that does not run is unavailable", async () => {
  const db = new ServerDatabase({ url: "http://127.0.0.1:1", user: "default", password: "" });
  await expect(db.rows("SELECT 1")).rejects.toBeInstanceOf(DatabaseUnavailable);
  await db.close();
});

test.each(["ETIMEDOUT", "EHOSTUNREACH", "ECONNRESET", "ECONNREFUSED"])(
  "a response that ends in %s is unavailable",
  (code) => {
    const error = explain(Object.assign(new Error("raw"), { code }), "http://x:8123");
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(error).toMatchObject({
      message: `ClickHouse at http://x:8123 cannot be reached (${code})`,
    });
  },
);

test.each([
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /not trusted/, /NODE_EXTRA_CA_CERTS/],
  ["SELF_SIGNED_CERT_IN_CHAIN", /not trusted/, /NODE_EXTRA_CA_CERTS/],
  ["CERT_HAS_EXPIRED", /not valid today/, /renew the server's certificate/],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    /is for another address/,
    /an address that the certificate names/,
  ],
])("a refused certificate fails at once (%s)", (code, message, next) => {
  const error = explain(Object.assign(new Error("raw"), { code }), "https://x:8443");
  expect(error).toMatchObject({
    name: "UserError",
    message: expect.stringMatching(message),
    hint: expect.stringMatching(next),
  });
  expect(error).not.toBeInstanceOf(DatabaseUnavailable);
});
