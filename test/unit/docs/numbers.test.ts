import { expect, test } from "vitest";
import { LIVE_LOAD_SECONDS } from "../../../contract/schedule.ts";
import { projectFiles, textOf } from "./pages.ts";

test("every page that says how often scheduled loads start has the present interval", () => {
  const lines = projectFiles("docs/*.md").flatMap((page) => textOf(page).split("\n"));
  const seconds = lines
    .filter((line) => /etl_live|load starts/.test(line))
    .flatMap((line) =>
      [...line.matchAll(/every (\d+) seconds/g)].map(([, number]) => Number(number)),
    );
  expect(seconds.length).toBeGreaterThan(1);
  expect(new Set(seconds)).toEqual(new Set([LIVE_LOAD_SECONDS]));
});
