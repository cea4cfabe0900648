import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { runBackfill } from "../../../generator/backfill.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { DonorPool } from "../../../generator/model/donors.ts";
import { DEMO_DEFAULTS, demoConfig } from "../../../warehouse/demo/config.ts";

const image = (name: string) =>
  readFileSync(join(import.meta.dirname, "../../../docs/images", name), "utf8");
/** Checksum and counts of the manifest of `make demo`. */
let checksum: string;
let counts: Readonly<Record<string, number>>;

beforeAll(async () => {
  const config = demoConfig(DEMO_DEFAULTS);
  const nowhere = { publish: async () => undefined, close: async () => undefined };
  const donors = new DonorPool(catalogueDonors(config.seed));
  ({ checksum, counts } = (await runBackfill(config, donors, nowhere)).manifest);
}, 300_000);

test.each(["report.json", "report-dark.json"])(
  "the run in the picture of %s is the present make demo",
  (name) => {
    expect(JSON.parse(image(name))).toEqual({ checksum });
  },
);

test("the recorded terminal shows the present make demo", () => {
  expect(image("demo.svg")).toContain(checksum);
});

test("the README shows the messages that make demo generates", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8");
  const rows = [...readme.matchAll(/^│ (\w+) +│ +([\d,]+) │/gm)].map(
    ([, stream, generated = ""]) => [stream, Number(generated.replaceAll(",", ""))],
  );
  expect(Object.fromEntries(rows)).toEqual(counts);
});
