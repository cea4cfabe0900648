import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LIVE_LOAD_SECONDS } from "../../../contract/schedule.ts";

test("the schedule of etl_live is the contract's interval", () => {
  const dag = join(import.meta.dirname, "../../../airflow/dags/etl_live.py");
  const seconds = /schedule=timedelta\(seconds=(\d+)\)/.exec(readFileSync(dag, "utf8"))?.[1];
  expect(Number(seconds)).toBe(LIVE_LOAD_SECONDS);
});
