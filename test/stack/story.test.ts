import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { dashboardCharts } from "../../superset/dashboard.ts";
import {
  belongings,
  docker,
  forgetState,
  operateEnvironment,
  ROOT,
  readText,
  services,
  writeFile,
} from "./operator.ts";

const STACK = "level-story";
const BIN = join(ROOT, "node_modules/.bin");
/** A machine that does other work takes several times as long as a calm one. */
const PATIENCE_MS = 900_000;

function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: "utf8",
    env: {
      ...operateEnvironment(),
      PATH: [BIN, process.env.PATH].join(delimiter),
      PULUMI_CONFIG_PASSPHRASE: "story",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      ...environment,
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(status, `${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

/** What a person types: nothing but `pulumi`. */
const pulumi = (...args: string[]): string =>
  run(join(BIN, "pulumi"), [...args, "--non-interactive"]);

/** Rows that each chart of the dashboard shows, asked with what the stack's outputs say. */
function charts(): { chart: string; rows: number }[] {
  const outputs = JSON.parse(pulumi("stack", "output", "--json", "--show-secrets"));
  const { addresses, secrets } = outputs as Record<string, Record<string, string>>;
  const text = run(process.execPath, ["cli/main.ts", "bi-init", "--json"], {
    CLICKHOUSE_URL: addresses?.database,
    CLICKHOUSE_PASSWORD: secrets?.databasePassword,
    SUPERSET_URL: addresses?.bi,
    SUPERSET_PASSWORD: secrets?.adminPassword,
    BI_DATABASE_URL: "http://clickhouse:8123",
    BI_DATABASE_USER: "bi",
    BI_DATABASE_PASSWORD: secrets?.biPassword,
  });
  return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)).charts;
}

afterAll(() => {
  const environment = { ...operateEnvironment(), PULUMI_CONFIG_PASSPHRASE: "story" };
  const clean = ["cli/main.ts", "stack", "clean", "--stack", STACK];
  spawnSync(process.execPath, clean, { cwd: ROOT, env: environment });
  forgetState();
});

/** One story on a fresh copy, with the `pulumi` program alone: each test starts where the last ended. */
describe("plain pulumi", () => {
  test("up ends with a filled dashboard", { timeout: PATIENCE_MS }, () => {
    writeFile(`Pulumi.${STACK}.yaml`, readText("test/stack/story.yaml"));
    pulumi("stack", "init", STACK);
    const text = pulumi("up", "--yes", "--skip-preview");
    expect(text).toMatch(/live-load .*load_dm_summary/);
    const shown = charts();
    expect(shown).toHaveLength(dashboardCharts.length);
    expect(shown.filter(({ rows }) => rows === 0)).toEqual([]);
  });

  test("preview then finds nothing to change", { timeout: PATIENCE_MS }, () => {
    pulumi("preview", "--expect-no-changes");
  });

  test("up applies a changed setting to its service alone", { timeout: PATIENCE_MS }, () => {
    const { generator, ...others } = services(STACK);
    pulumi("config", "set", "--path", "event-pipeline:generator.enabled", "false");
    pulumi("up", "--yes", "--skip-preview");
    const after = services(STACK);
    expect(after).toMatchObject(others);
    expect(after.generator).not.toBe(generator);
    const inspect = ["inspect", "--format", "{{json .Config.Env}}", after.generator ?? ""];
    expect(docker(...inspect)).toContain("GEN_ENABLED=false");
  });

  test("up --refresh starts what was stopped and what was killed", { timeout: PATIENCE_MS }, () => {
    const before = services(STACK);
    docker("stop", before.generator ?? "");
    docker("kill", before.broker ?? "");
    pulumi("up", "--yes", "--skip-preview", "--refresh");
    expect(Object.keys(services(STACK)).sort()).toEqual(Object.keys(before).sort());
  });

  test("destroy leaves no container, volume or network", { timeout: PATIENCE_MS }, () => {
    pulumi("destroy", "--yes", "--skip-preview");
    expect(belongings(STACK, ["container", "volume", "network"])).toEqual([]);
  });
});
