import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CALL_VARIABLE } from "../../contract/command-call.ts";
import { pipeline } from "../support/cli.ts";

const root = mkdtempSync(join(tmpdir(), "cli-import-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const csv = join(root, "events.csv");
const mapping = join(root, "mapping.yaml");
const out = join(root, "set");
const env = { EVENT_PIPELINE_STATE: join(root, "state") };

/** Two sessions in Berlin's summer time, one duplicate row, and one that cannot be mapped. */
const ROWS = `time,session,visitor,action,url,device,country
2026-07-05 00:30:00,s1,v1,view,https://shop.example.com/home,Mobile,DE
2026-07-05 00:31:00,s1,v1,view,https://shop.example.com/cart?n=1,Mobile,DE
2026-07-05 00:31:00,s1,v1,view,https://shop.example.com/cart?n=1,Mobile,DE
2026-07-05 00:32:00,s1,v1,order,https://shop.example.com/confirmation,Mobile,DE
2026-07-05 12:00:00,s2,v2,view,https://shop.example.com/home,Desktop,GB
soon,s2,v2,view,https://shop.example.com/home,Desktop,GB
`;

const sessions = (): unknown[] =>
  pipeline(
    [
      "query",
      `SELECT toString(started_at) AS started, page_events, has_purchase, stages_reached, geo_country,
         is_mobile, user_custom_id FROM dm.session ORDER BY started_at`,
      ...["--format", "JSONEachRow"],
    ],
    env,
  )
    .stdout.trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("three commands from a CSV file to a filled mart", () => {
  beforeAll(() => writeFileSync(csv, ROWS));

  test("the first writes a mapping", () => {
    const { status, stdout } = pipeline(["import", csv, "--write-mapping", mapping], env);
    expect(status).toBe(0);
    expect(stdout).toContain(
      `Next: npm run pipeline -- import ${csv} --mapping ${mapping} --out my-data`,
    );
    const again = pipeline(["import", csv, "--write-mapping", mapping], env);
    expect(again.stderr).toContain("the file exists\n  hint: ");
    const text = `time: { format: iso, zone: Europe/Berlin }
columns:
  event_timestamp: time
  click_id: session
  event_type: action
  page_url: url
  device_type: device
  user_custom_id: visitor
  geo_country: country
values:
  event_type: { view: pageview, order: purchase }
funnel:
  - { stage: start, pages: [/home] }
  - { stage: basket, pages: ["/ca*"] }
  - { stage: order, pages: [/confirmation] }
`;
    writeFileSync(mapping, text);
  });

  test("the others load and transform it; a rerun changes no number", () => {
    const load = ["import", csv, "--mapping", mapping, "--out", out, "--load"];
    for (let run = 0; run < 2; run += 1) {
      const { status, stdout, stderr } = pipeline(load, env);
      expect(status, stderr).toBe(0);
      expect(stdout).toContain("5 rows of 6 mapped");
      expect(stdout).toContain(`${csv}:7: event_timestamp: time "soon" is not a time of`);
      expect(stdout).toContain("Next: npm run pipeline -- transform");
      expect(pipeline(["transform"], env).status).toBe(0);
      expect(sessions()).toEqual([
        {
          started: "2026-07-04 22:30:00.000000",
          page_events: 3,
          has_purchase: true,
          stages_reached: ["start", "basket", "order"],
          geo_country: "DE",
          is_mobile: true,
          user_custom_id: "v1",
        },
        {
          started: "2026-07-05 10:00:00.000000",
          page_events: 1,
          has_purchase: false,
          stages_reached: ["start"],
          geo_country: "GB",
          is_mobile: false,
          user_custom_id: "v2",
        },
      ]);
    }
    expect(pipeline(["prove"], env).status).toBe(0);
  });

  test("a data set without a funnel has the default one again, for all sessions", () => {
    const text = readFileSync(mapping, "utf8");
    writeFileSync(mapping, text.slice(0, text.indexOf("funnel:")));
    const load = ["import", csv, "--mapping", mapping, "--out", out, "--load"];
    expect(pipeline(load, env).status).toBe(0);
    expect(pipeline(["transform"], env).status).toBe(0);
    expect(sessions()).toMatchObject([
      { stages_reached: ["home", "product", "cart", "payment", "confirmation"] },
      { stages_reached: ["home"] },
    ]);
    expect(pipeline(["prove", "--deep"], env).status).toBe(0);
  });

  test("warns of another data set in the workspace, not of the same one", () => {
    const load = ["import", csv, "--mapping", mapping, "--out", out, "--load"];
    expect(pipeline(load, env).stderr).not.toContain("warning");
    const other = pipeline([...load.with(5, join(root, "other"))], env);
    expect(other.status).toBe(0);
    expect(other.stderr).toContain(
      `already has the data set ${out}; the marts count both. hint: for a workspace of its own, add --database DIR`,
    );
    const third = pipeline([...load.with(5, join(root, "third"))], env);
    expect(third.stderr.match(/^warning: .*$/gm)).toEqual([
      expect.stringContaining("already has 2 other data sets; the marts count all of them. hint:"),
    ]);
  });

  test("without --load, prints the next command for the user's database", () => {
    const convert = ["import", csv, "--mapping", mapping, "--out", out];
    const local = pipeline([...convert, "--database", "data"], env);
    expect(local.stdout).toContain(
      `Next: npm run pipeline -- data --dataset ${out} --database data\n`,
    );
    const server = ["--database", "http://localhost:9123"];
    const own = pipeline([...convert, ...server], env);
    expect(own.stdout).toContain(
      `Next: npm run pipeline -- data --dataset ${out} ${server.join(" ")}\n`,
    );
    const call = { [CALL_VARIABLE]: "npm run pipeline -- stack run --stack dev --" };
    const stack = pipeline([...convert, ...server], { ...env, ...call });
    expect(stack.stdout).toContain(
      `Next: npm run pipeline -- stack run -- data --dataset ${out}\n`,
    );
  });
});

describe("a wrong call is one error with one hint", () => {
  test.each<[string, string[], RegExp]>([
    ["no mapping", [csv], /--mapping FILE is missing.*\n.*--write-mapping mapping\.yaml/],
    ["no folder", [csv, "--mapping", mapping], /--out DIR is missing/],
    ["no such file", ["no.csv", "--mapping", mapping, "--out", out], /There is no file no\.csv/],
    [
      "no such mapping",
      [csv, "--mapping", "no.yaml", "--out", out],
      /mapping no\.yaml does not exist/,
    ],
    ["a folder in use", [csv, "--mapping", mapping, "--out", root], /no import wrote it/],
  ])("%s", (_, args, message) => {
    const { status, stderr } = pipeline(["import", ...args], env);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: [^\n]+\n {2}hint: [^\n]+\n$/);
    expect(stderr).toMatch(message);
  });
});
