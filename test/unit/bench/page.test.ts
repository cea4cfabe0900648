import { expect, test } from "vitest";
import { HEAD, measurementsText, PAGE, pageWith } from "../../../bench/page.ts";
import { readPage } from "../../../scripts/write-docs.ts";

const row = { unit: "s" };

test("the page has each measurement with its reference, ratio and limit, and the day", () => {
  const measured = { name: "demo", value: 11.2, reference: 0.75, unit: "s", ratio: 14.9 };
  const rows = [
    { ...measured, atMost: 12 },
    { ...row, name: "memory", value: 1428 },
  ];
  expect(measurementsText(rows, "2026-11-29")).toBe(
    [
      "Measured on 2026-11-29.",
      "",
      "| what | unit | measured | reference | ratio | limit |",
      "|---|---|---|---|---|---|",
      "| demo | s | 11.2 | 0.75 | 14.9 | at most 12: missed |",
      "| memory | s | 1,428 |  |  |  |",
    ].join("\n"),
  );
});

test("the table in the page has the form that the command writes", () => {
  const page = readPage(PAGE);
  const [, measurements = ""] =
    /<!-- measurements: bench\/run.ts -->\n(.*)\n<!-- end of measurements -->/s.exec(page) ?? [];
  const cell = "[^|\\n]*";
  const line = `\\|${` ${cell} \\|`.repeat(HEAD.length)}`;
  const head = measurementsText([], "DAY").replaceAll("|", "\\|");
  const form = head.replace("DAY", "\\d{4}-\\d\\d-\\d\\d");
  expect(measurements).toMatch(new RegExp(`^${form}(\\n${line})+$`));
  expect(pageWith(measurements)).toBe(page);
});
