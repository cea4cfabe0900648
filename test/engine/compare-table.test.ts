import { expect, test } from "vitest";
import { compareTable } from "../../warehouse/reconciliation/deep/compare-table.ts";
import { openTestEngine } from "../support/engine.ts";

/** Names that the comparison gives its own results. */
const NAMES = "day rows sum cells name key expected found columns place is_expected".split(" ");

test("columns are compared by their values, also where they have the names of results", async () => {
  await using engine = await openTestEngine({ withSchema: false });
  const dates = NAMES.map((name, at) => `toDate('2026-01-01') + ${at} AS ${name}`).join(", ");
  const right = `SELECT number, ${dates} FROM numbers(3)`;
  const stored = right.replace("+ 0 AS day", "+ (number = 1) AS day");
  const one = {
    ...({ layer: "dm", table: "own", stream: null, key: ["number", "key"] } as const),
    day: "toString(one_row.rows)",
    columns: ["number", ...NAMES].map((name) => ({
      name,
      type: name === "number" ? "UInt64" : "Date",
    })),
  };
  const equal = await compareTable(engine.db, {
    ...one,
    slices: [{ expected: right, stored: right }],
  });
  expect(equal.lines).toMatchObject([{ day: "2026-01-02", expected: 3, isEqual: true }]);
  const { rows } = await compareTable(engine.db, { ...one, slices: [{ expected: right, stored }] });
  expect(rows).toMatchObject([{ key: "number = 1, key = 2026-01-06", columns: ["day"] }]);
});
