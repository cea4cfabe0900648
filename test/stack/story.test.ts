import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { manifestSchema } from "../../contract/manifest.ts";
import { allCharts } from "../../superset/dashboards/dashboards.ts";
import { LEVEL_STACKS } from "./level-stacks.ts";
import "./leftovers.ts";
import {
  belongings,
  count,
  docker,
  forgetState,
  operate,
  operateEnvironment,
  operateIn,
  ROOT,
  readText,
  runPageBlock,
  services,
  writeFile,
} from "./operator.ts";

const STACK = LEVEL_STACKS.story;
const CONFIG = "test/stack/live.yaml";
const PAGE = "docs/tutorial/first-hour.md";
const HTTP_PORT = 32_123;
const BIN = join(ROOT, "node_modules/.bin");
/** A busy machine takes several times as long as an idle one. */
const PATIENCE_MS = 1_800_000;
const DAY_MS = 86_400_000;
/** Minutes of live loads before the reconciliation. */
const LIVE_MINUTES = Number(process.env.LIVE_MINUTES ?? 1);

// Both plain pulumi and the wrapper read it.
process.env.PULUMI_CONFIG_PASSPHRASE = "story";

/** Events in dds when the first `up` ended, and that time. */
let eventsAtFirst = 0;
let alive = 0;

function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: "utf8",
    env: {
      ...operateEnvironment(),
      PATH: [BIN, process.env.PATH].join(delimiter),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      ...environment,
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(status, `${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

/** Runs `pulumi` as a user types it. */
const pulumi = (...args: string[]): string =>
  run(join(BIN, "pulumi"), [...args, "--non-interactive"]);

/** Runs `make` on the stack of plain `pulumi`. */
const make = (command: string, ...args: string[]): string => {
  const { code, text } = operate(STACK, command, ...args);
  expect(code, text).toBe(0);
  return text;
};

const SETTINGS = (variable: string) => `event-pipeline:generator.settings.${variable}`;

const jsonIn = (text: string) =>
  JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
const ask = (...args: string[]): unknown => jsonIn(make("run", "--", ...args, "--json"));
const manifest = () => manifestSchema.parse(ask("generator", "manifest"));
const generator = () =>
  ask("generator", "status") as { state: { step: string }; model: { model_time: string } };
const events = () => count(STACK, "dm.v_events_enriched", HTTP_PORT);

interface Chart {
  readonly chart: string;
  readonly rows: number;
}

function expectFilled(charts: readonly Chart[]): void {
  expect(charts).toHaveLength(allCharts.length);
  expect(charts.filter(({ rows }) => rows === 0)).toEqual([]);
}

/** Row counts of the dashboard's charts, queried with the stack's outputs. */
function charts(): Chart[] {
  const outputs = JSON.parse(pulumi("stack", "output", "--json", "--show-secrets"));
  const { client } = outputs as Record<string, Record<string, string>>;
  const text = run(process.execPath, ["cli/main.ts", "bi-init", "--json"], client);
  return jsonIn(text).charts;
}

const OWN_CHART = "slice_name = 'A chart of mine'";
const COPY_A_CHART = `
  INSERT INTO slices (slice_name, datasource_id, datasource_type, viz_type, params, uuid)
  SELECT 'A chart of mine', datasource_id, datasource_type, viz_type, params, gen_random_uuid() FROM slices LIMIT 1`;

/** Runs SQL in Superset's own database. */
const inSuperset = (sql: string): string =>
  docker(
    "exec",
    services(STACK).postgres ?? "",
    "psql",
    "-U",
    "postgres",
    "-tAc",
    sql,
    "superset",
  ).trim();

const dumps = mkdtempSync(join(tmpdir(), "dumps-"));

afterAll(() => {
  rmSync(dumps, { recursive: true, force: true });
  operate(STACK, "clean");
  forgetState();
});

/**
 * These tests use a fresh copy and `pulumi` alone to start, change and destroy, and each starts
 * from the state of the previous one.
 */
describe("plain pulumi", { timeout: PATIENCE_MS }, () => {
  test("up ends with a filled dashboard", async () => {
    writeFile(`Pulumi.${STACK}.yaml`, readText(CONFIG));
    pulumi("stack", "init", STACK);
    const text = pulumi("up", "--yes", "--skip-preview");
    alive = Date.now();
    eventsAtFirst = await count(STACK, "dds.event", HTTP_PORT);
    expect(text).toMatch(/live-load .*load_dm_summary/);
    expectFilled(charts());
  });

  test("preview then shows no change", () => {
    pulumi("preview", "--expect-no-changes");
  });

  test("the history is a week that ends now, and continues with live events", async () => {
    const { t0, t_end } = manifest();
    expect(Date.parse(t_end) - Date.parse(t0)).toBe(7 * DAY_MS);
    expect(generator().state.step).toBe("live");
    expect(generator().model.model_time > t_end).toBe(true);
    expect(await events()).toBeGreaterThan(250_000);
  });

  test("make up changes nothing and prints the addresses", () => {
    const text = runPageBlock(STACK, PAGE, 0);
    expect(text).toMatch(/Resources:\s+\d+ unchanged\s/);
    expect(text).toContain("Look first at:");
    expect(text).toMatch(/http:\S+\/superset\/dashboard\/clickstream-overview/);
    expect(text).toContain(`make down STACK=${STACK}`);
  });

  test("the schedule loads live events", async () => {
    expect(make("run", "--", "dag", "list")).toMatch(/etl_live\W+on/);
    const loaded = () => count(STACK, "dds.event", HTTP_PORT);
    // The first scheduled run may have ended before this test.
    await expect
      .poll(loaded, { timeout: PATIENCE_MS - 60_000, interval: 2_000 })
      .toBeGreaterThan(eventsAtFirst);
  });

  test(`every message is accounted for after ${LIVE_MINUTES} minutes`, {
    timeout: PATIENCE_MS + LIVE_MINUTES * 60_000,
  }, async () => {
    await sleep(Math.max(0, alive + LIVE_MINUTES * 60_000 - Date.now()));
    expect(runPageBlock(STACK, PAGE, 1)).toContain("0 unaccounted");
  });

  test("the stack resumes after down and up, also with another secret key of Superset", async () => {
    const { checksum } = manifest();
    const before = generator().model.model_time;
    const rows = await events();
    make("down");
    make("rotate-superset-key");
    expect(docker("logs", services(STACK).superset ?? "")).toContain(
      "encrypted with the current key",
    );
    expect(make("up")).toMatch(/Resources:\s+\d+ unchanged\s/);
    expect(manifest().checksum).toBe(checksum);
    expect(generator().state.step).toBe("live");
    expect(generator().model.model_time > before).toBe(true);
    expect(await events()).toBeGreaterThanOrEqual(rows);
    expectFilled((ask("bi-init") as { charts: Chart[] }).charts);
    expect(make("run", "--", "dag", "list")).toMatch(/etl_live\W+on/);
    expect(runPageBlock(STACK, PAGE, 4)).toContain("0 unaccounted");
  });

  test("a dump of Superset's database brings back what users made", () => {
    const here = { dev: STACK, "superset.dump": join(dumps, "superset.dump") };
    expect(inSuperset(`${COPY_A_CHART} RETURNING slice_name`)).toContain("A chart of mine");
    runPageBlock(STACK, "docs/how-to/back-up-and-restore.md", 0, here);
    inSuperset(`DELETE FROM slices WHERE ${OWN_CHART}`);
    runPageBlock(STACK, "docs/how-to/back-up-and-restore.md", 1, here);
    expect(inSuperset(`SELECT count(*) FROM slices WHERE ${OWN_CHART}`)).toBe("1");
  });

  test("a changed demo parameter applies from now on, and touches only the generator", async () => {
    const { checksum } = manifest();
    const { generator: before, ...others } = services(STACK);
    const said = "GEN_LAMBDA_BASE_PER_MIN: 60 from now on; events so far keep 30";
    pulumi("config", "set", "--path", SETTINGS("GEN_LAMBDA_BASE_PER_MIN"), "60");
    expect(pulumi("preview")).toContain(said);
    expect(pulumi("up", "--yes", "--skip-preview")).toContain(said);
    expect(services(STACK)).toMatchObject(others);
    expect(services(STACK).generator).not.toBe(before);
    const { code, text } = operateIn({ GEN_TICK_SECONDS: "2" }, STACK, "up");
    expect(code, text).toBe(0);
    expect(text).toContain("GEN_TICK_SECONDS: 2 from now on; events so far keep 5");
    expect(generator().state.step).toBe("live");
    expect(manifest().checksum).toBe(checksum);
    // The check needs five minutes of live events in the marts.
    await expect
      .poll(() => operate(STACK, "run", "--", "history-check").text, {
        timeout: PATIENCE_MS - 60_000,
        interval: 10_000,
      })
      .toMatch(/^\d+ checks: \d+ ok, 0 failed/m);
    expect(runPageBlock(STACK, PAGE, 4)).toContain("0 unaccounted");
  });

  test("another seed is refused before anything is touched, with the way back", () => {
    const before = services(STACK);
    const refusal = /GEN_SEED: 1 in the state, other now.*set GEN_SEED back to 1/s;
    pulumi("config", "set", "--path", SETTINGS("GEN_SEED"), "other");
    expect(() => pulumi("preview")).toThrow(refusal);
    expect(() => pulumi("up", "--yes", "--skip-preview")).toThrow(refusal);
    expect(services(STACK)).toEqual(before);
    pulumi("config", "rm", "--path", SETTINGS("GEN_SEED"));
    pulumi("up", "--yes", "--skip-preview");
  });

  test("up --refresh starts stopped and killed services", () => {
    const before = services(STACK);
    docker("stop", before.generator ?? "");
    docker("kill", before.kafka ?? "");
    pulumi("up", "--yes", "--skip-preview", "--refresh");
    expect(Object.keys(services(STACK)).sort()).toEqual(Object.keys(before).sort());
  });

  test("destroy leaves no container, volume, network or image", () => {
    pulumi("destroy", "--yes", "--skip-preview");
    expect(belongings(STACK)).toEqual([]);
  });
});
