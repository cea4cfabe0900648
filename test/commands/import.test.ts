import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CALL_VARIABLE } from "../../contract/command-call.ts";
import { pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("cli-import");

const csv = join(root, "events.csv");
const select = join(root, "select.sql");
const out = join(root, "shop");
const env = { EVENT_PIPELINE_STATE: join(root, "state") };

/** Two sessions in Berlin's summer time, one equal row, and one without a time. */
const ROWS = `time,session,visitor,action,url,device,country
2026-07-05 00:30:00,s1,v1,view,https://shop.example.com/home,Mobile,DE
2026-07-05 00:31:00,s1,v1,view,https://shop.example.com/%C3%BCber-uns?n=1,Mobile,DE
2026-07-05 00:31:00,s1,v1,view,https://shop.example.com/%C3%BCber-uns?n=1,Mobile,DE
2026-07-05 00:32:00,s1,v1,order,https://shop.example.com/confirmation,Mobile,DE
2026-07-05 12:00:00,s2,v2,view,https://shop.example.com/home,Desktop,GB
soon,s2,v2,view,https://shop.example.com/home,Desktop,GB
`;

const HEADER = `-- source: a shop
-- funnel:
--   - { stage: start, pages: [/home] }
--   - { stage: about, pages: [/über-*] }
--   - { stage: order, pages: [/confirmation] }
`;
const SELECT = `
SELECT row, time_in(time, 'Europe/Berlin') AS time, session AS session_id, visitor AS visitor_id,
  event_type_of(action) AS event_type, url AS page_url, device, country
FROM input
`;

const run = (...args: string[]) => {
  const { status, stdout, stderr } = pipeline(args, env);
  expect(status, stderr).toBe(0);
  return { stdout, stderr };
};

const rowsOf = (query: string): unknown[] =>
  run("query", query, "--format", "JSONEachRow")
    .stdout.trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const SESSIONS = `SELECT toString(started_at) AS started, page_events, has_purchase, stages_reached, geo_country,
  is_mobile, user_custom_id FROM dm.session ORDER BY started_at`;

const load = (set: string, ...more: string[]) =>
  run("import", csv, "--select", select, "--out", set, "--load", ...more);

describe("from a file to a mart", () => {
  beforeAll(() => writeFileSync(csv, ROWS));

  test("a SELECT is written, once", () => {
    const { stdout } = run("import", csv, "--write-select", select);
    expect(stdout).toContain(`Next: ./pipeline import ${csv} --select ${select} --load`);
    expect(readFileSync(select, "utf8")).toContain("AS session_id");
    const again = pipeline(["import", csv, "--write-select", select], env);
    expect(again.stderr).toContain("the file exists\n  hint: ");
  });

  test("the import says what became of each row, and the marts have the rest", () => {
    writeFileSync(select, HEADER + SELECT);
    const { stdout } = load(out);
    expect(stdout).toContain("6 rows of 1 file = 4 events + 1 equal row + 1 row rejected");
    expect(stdout).toContain(`${csv}, row 6: no readable time`);
    run("transform");
    expect(rowsOf(SESSIONS)).toEqual([
      {
        started: "2026-07-04 22:30:00.000000",
        page_events: 3,
        has_purchase: true,
        stages_reached: ["start", "about", "order"],
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
    expect(run("prove").stdout).toContain("rows of shop = events + reasons");
    expect(run("follow", "--session", "s2").stdout).toContain("/home");
    const unknown = pipeline(["follow", "--session", "s3"], env);
    expect(unknown.stderr).toContain("No imported session has the id s3");
  });

  test("another dataset in the workspace is warned of", () => {
    const { stderr } = load(join(root, "other"));
    expect(stderr).toContain("also has shop; the marts count all of them. hint:");
  });

  test("a dataset with another zone or funnel is refused beside others, and gets a workspace of its own", () => {
    const tokyo = join(root, "tokyo.sql");
    writeFileSync(tokyo, `-- timezone: Asia/Tokyo\n${SELECT}`);
    const set = join(root, "tokyo");
    const { status, stderr } = pipeline(
      ["import", csv, "--select", tokyo, "--out", set, "--load"],
      env,
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /have the time zone UTC and the funnel start .*, tokyo has the time zone Asia\/Tokyo and the funnel home .*Nothing was loaded/,
    );
    const own = `${join(root, "state", "import")}-tokyo`;
    expect(stderr).toContain(`own, run \`./pipeline data --dataset ${set} --database ${own}\``);
    run("data", "--dataset", set, "--database", own);
    run("transform", "--database", own);
    const { stdout } = run("history-analytics", "--database", own);
    expect(stdout).toContain("day (Asia/Tokyo)");
    const sample = pipeline(["data", "--no-reset", "--database", own], env);
    expect(sample.stderr).toContain("sample has the time zone UTC");
  });

  test("a report counts one site, and names the sites that there are", () => {
    const sites = join(root, "sites.sql");
    writeFileSync(
      sites,
      SELECT.replace("SELECT row,", "SELECT row, if(visitor = 'v1', 'it\\'s', 'b') AS site,"),
    );
    const own = ["--database", join(root, "sites-workspace")];
    run("import", csv, "--select", sites, "--out", join(root, "sites"), "--load", ...own);
    run("transform", ...own);
    const page = join(root, "site.html");
    run("report", "--site", "it's", "--out", page, ...own);
    const text = readFileSync(page, "utf8");
    expect(text).toContain("of sites, site it&#39;s</h1>");
    expect(text).toContain("<strong>3</strong> <span>page events</span>");
    expect(text).toContain("<strong>1</strong> <span>visitors</span>");
    const unknown = pipeline(["report", "--site", "c", ...own], env);
    expect(unknown.stderr).toContain("--site c has no session. Allowed: b, it's\n  hint: ");
  });

  test("a dataset that is loaded again with another SELECT replaces its rows, beside the other one", () => {
    // Without the sessions' ids, the events have the same content and other sessions.
    writeFileSync(
      select,
      HEADER +
        SELECT.replace("session AS session_id, ", "").replace(
          "country\n",
          "country, 'x' AS event_id\n",
        ),
    );
    const { stdout } = load(out);
    expect(stdout).toContain("= 1 event + 4 repeated ids");
    expect(stdout).toContain("Replacing the earlier rows of shop");
    run("transform");
    expect(rowsOf("SELECT sum(page_events) AS events FROM dm.v_daily_activity")).toEqual([
      { events: 5 },
    ]);
    const { stdout: proof } = run("prove", "--deep");
    expect(proof).toContain("rows of other = events + reasons");
    expect(proof).toContain("0 unaccounted");
  });

  test("without --load, prints the next command for the user's database", () => {
    const convert = ["import", csv, "--select", select, "--out", out];
    const { stdout } = run(...convert, "--database", "data");
    expect(stdout).toContain(`Next: ./pipeline data --dataset ${out} --database data\n`);
    const call = { [CALL_VARIABLE]: "./pipeline stack run --stack dev --" };
    const stack = pipeline([...convert, "--database", "http://localhost:9123"], {
      ...env,
      ...call,
    });
    expect(stack.stdout).toContain(`Next: ./pipeline stack run -- data --dataset ${out}\n`);
  });
});

describe("a wrong call is one error with one hint", () => {
  test.each<[string, string[], RegExp]>([
    ["unknown columns", [csv], /matches no known source.*\n.*--write-select my\.sql/],
    [
      "an unknown source",
      [csv, "--from", "umamy"],
      /--from umamy is not a known source.*ga4-bigquery/,
    ],
    ["no such file", ["no.csv", "--select", select, "--out", out], /There is no file no\.csv/],
    ["no such SELECT", [csv, "--select", "no.sql"], /SELECT no\.sql does not exist/],
    ["a folder in use", [csv, "--select", select, "--out", root], /no import wrote it/],
    [
      "nothing to append to",
      [csv, "--select", select, "--out", join(root, "new"), "--append"],
      /is not a dataset of an import/,
    ],
  ])("%s", (_, args, message) => {
    const { status, stderr } = pipeline(["import", ...args], env);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: [^\n]+\n {2}hint: [^\n]+\n$/);
    expect(stderr).toMatch(message);
  });
});
