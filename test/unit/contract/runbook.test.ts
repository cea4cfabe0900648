import { expect, test } from "vitest";
import { readRunbook, withTable } from "../../../scripts/variables-table.ts";

test("the runbook lists every variable as the code has it (node scripts/variables-table.ts)", () => {
  expect(readRunbook()).toBe(withTable(readRunbook()));
});
