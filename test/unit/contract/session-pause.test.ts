import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SESSION_PAUSE_MINUTES } from "../../../contract/time.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PAUSE =
  /toIntervalMinute\((\d+)\) AS begins|least\(pause, (\d+) \* 60 \* 1000000\)|[Pp]ause (?:of|counts as)(?: the visitor of)?(?: more than)? (\d+)(?:\s|--)+minutes/g;

test("SQL and docs have the contract's session pause", () => {
  const files = globSync(["sql/{etl,import,sources}/**/*.sql", "docs/**/*.md"], { cwd: ROOT });
  const stated = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(PAUSE)].map(([, ...minutes]) => [
      file,
      Number(minutes.find((one) => one !== undefined)),
    ]),
  );
  expect(new Set(stated.map(([, minutes]) => minutes))).toEqual(new Set([SESSION_PAUSE_MINUTES]));
  expect(stated.map(([file]) => file)).toEqual(
    expect.arrayContaining(["sql/etl/dm/session.sql", "sql/import/messages.sql"]),
  );
});
