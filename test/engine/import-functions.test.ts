import { beforeAll, expect, test } from "vitest";
import { readStatements } from "../../warehouse/sql.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine({ withSchema: false });
beforeAll(async () => {
  for (const statement of readStatements("import/functions.sql")) await engine.db.run(statement);
});

test("an hour that comes twice, because clocks go back, is the first", async () => {
  // Berlin goes back from 03:00 (UTC+2) to 02:00 (UTC+1) on 25 October, New York from 02:00 (UTC-4) to 01:00 on 1 November.
  const [times] = await engine.db.rows(
    `SELECT time_in('2026-10-25 02:30', 'Europe/Berlin') AS berlin,
       time_by('25.10.2026 02:30', 'dd.MM.yyyy HH:mm', 'Europe/Berlin') AS berlin_by,
       time_in('2026-11-01 01:30', 'America/New_York') AS york,
       time_by('11/1/2026 1:30 AM', 'M/d/yyyy h:mm a', 'America/New_York') AS york_by`,
  );
  expect(times).toEqual({
    berlin: "2026-10-25 00:30:00.000000",
    berlin_by: "2026-10-25 00:30:00.000000",
    york: "2026-11-01 05:30:00.000000",
    york_by: "2026-11-01 05:30:00.000000",
  });
});

test.each([
  // Berlin is two hours ahead of UTC in July.
  ["05.07.2026 09:00:00.123", "dd.MM.yyyy HH:mm:ss.SSS", "07:00:00.123000"],
  ["05.07.2026 09:00:00,123456", "dd.MM.yyyy HH:mm:ss,SSSSSS", "07:00:00.123456"],
  ["7/5/2026 9:00:00.1 PM", "M/d/yyyy h:mm:ss.SSS a", "19:00:00.100000"],
  ["2026/07/05 09:00:00.123456789", "yyyy/MM/dd HH:mm:ss.SSSSSSSSS", "07:00:00.123456"],
  ["20260705090000123", "yyyyMMddHHmmssSSS", "07:00:00.123000"],
  ["05/Jul/2026:09:00:00 +0100", "dd/MMM/yyyy:HH:mm:ss Z", "08:00:00.000000"],
  // A Z within quotes is text, so that the zone counts.
  ["2026-07-05T09:00:00Z", "yyyy-MM-dd''T''HH:mm:ss''Z''", "07:00:00.000000"],
])("%s in the pattern %s keeps its fraction and its offset", async (text, pattern, time) => {
  const [read] = await engine.db.rows(
    `SELECT time_by('${text}', '${pattern}', 'Europe/Berlin') AS time`,
  );
  expect(read).toEqual({ time: `2026-07-05 ${time}` });
});

test("an hour that a change of the clock skips is no time", async () => {
  const [times] = await engine.db.rows(
    `SELECT time_by('29.03.2026 02:30', 'dd.MM.yyyy HH:mm', 'Europe/Berlin') AS skipped_by,
       time_by('29.03.2026 03:30', 'dd.MM.yyyy HH:mm', 'Europe/Berlin') AS after_by,
       time_in('2026-03-29 02:30:00', 'Europe/Berlin') AS skipped,
       time_in('2026-03-29T02:30:00+01:00', 'Europe/Berlin') AS with_offset`,
  );
  expect(times).toEqual({
    skipped_by: null,
    after_by: "2026-03-29 01:30:00.000000",
    skipped: null,
    with_offset: "2026-03-29 01:30:00.000000",
  });
});

test("an amount is read with separators of thousands and signs of currencies", async () => {
  const amounts = {
    "1.249,90": "1249.90",
    "1.249": "1.249",
    "12.50": "12.50",
    "$1,249.90": "1249.90",
    "1,249": "1249",
    "12,5 €": "12.5",
    "1'249.90 CHF": "1249.90",
    "1.249.000": "1249000",
    "1.234,567": "1234.567",
    "0,500": "0.500",
    "1\u202f249,90 \u20ac": "1249.90",
    "1\u00a0249": "1249",
    "CHF 1\u2019249.90": "1249.90",
    "\u20bd100": "100",
    "R$ 12,50": "12.50",
    "-3.50": "-3.50",
    "12 or 13": "12 or 13",
    "(5.00)": "(5.00)",
    "\u22125,00": "\u22125,00",
    "1.2k": "1.2k",
  };
  const texts = Object.keys(amounts);
  const found = await engine.db.rows(
    "SELECT arrayMap(text -> amount_of(text), {texts:Array(String)}) AS read",
    { texts },
  );
  expect(found).toEqual([{ read: Object.values(amounts) }]);
});

test("a device is known by many names", async () => {
  const names = ["Laptop", "Smartphone", "phablet", "iPad", "Android", "unknown", "watch"];
  const found = await engine.db.rows(
    "SELECT arrayMap(name -> device_of(name), {names:Array(String)}) AS devices",
    { names },
  );
  expect(found).toEqual([
    { devices: ["Computer", "Mobile", "Mobile", "Tablet", "Mobile", "", "watch"] },
  ]);
});
