import { afterAll, describe, expect, test } from "vitest";
import { rulesFor } from "../../dashboards/alerts/rules.ts";
import { query, ruleNames, targetsOf } from "../../dashboards/checks/prometheus.ts";
import { scheduler } from "../../dashboards/signals/scheduler.ts";
import { LEVEL_STACKS } from "./level-stacks.ts";
import "./leftovers.ts";
import {
  belongings,
  count,
  docker,
  forgetState,
  operate,
  readSecrets,
  readText,
  runPageBlock,
  services,
  setSecret,
  writeFile,
} from "./operator.ts";

const STACK = LEVEL_STACKS.scheduler;
const CONFIG = "test/stack/scheduler.yaml";
/** Services of Airflow. */
const AIRFLOW = ["airflow", "airflow-api-server", "airflow-dag-processor"];
const HTTP_PORT = 31_123;
const METRICS = "http://127.0.0.1:31090";
const EXPORTER = "http://127.0.0.1:31102/metrics";

const run = (...args: string[]) => operate(STACK, "run", ...args);
const succeed = (command: string, ...args: string[]): string => {
  const { code, text } = operate(STACK, command, ...args);
  expect(code, text).toBe(0);
  return text;
};
/** Time limit of a run, seconds. */
const PATIENCE = "300";
/** Triggers a DAG from this machine and watches the run. */
const dag = (name: string, ...params: string[]): string =>
  succeed(
    "run",
    "--",
    "dag",
    "run",
    name,
    "--wait",
    PATIENCE,
    ...params.flatMap((one) => ["--param", one]),
  );
/** Runs `generator_control` and requires the success of these tasks. */
function control(tasks: readonly string[], ...params: string[]): void {
  const shown = dag("generator_control", ...params);
  for (const task of tasks) expect(shown).toMatch(new RegExp(`${task} +success`));
}
const sql = (text: string): string =>
  docker("exec", services(STACK).postgres ?? "", "psql", "-U", "postgres", "-tAc", text, "airflow");

/** Metrics that the scheduler's signals use. */
const wanted = new Set(
  Object.values(scheduler).flatMap(({ expr }) => expr.match(/airflow_\w+/g) ?? []),
);

afterAll(() => {
  operate(STACK, "clean");
  forgetState();
});

/** These tests depend on each other: each starts from the state that the previous one left. */
describe("the scheduler in a stack", () => {
  test("starts healthy, with every DAG parsed and switched on, without access to the engine", () => {
    succeed("up", "--config", CONFIG);
    const ids = services(STACK);
    expect(Object.keys(ids)).toEqual(expect.arrayContaining(AIRFLOW));
    const inspected = docker("inspect", ...Object.values(ids));
    for (const { State, Mounts } of JSON.parse(inspected)) {
      expect(State.Health.Status).toBe("healthy");
      // Only volumes, neither the engine's socket nor a folder of this machine.
      for (const { Type } of Mounts) expect(Type).toBe("volume");
    }
    for (const value of Object.values(readSecrets(STACK))) expect(inspected).not.toContain(value);
    const list = succeed("run", "--", "dag", "list");
    for (const name of ["ddl_init", "broker_load", "etl_pipeline", "generator_control"]) {
      expect(list).toMatch(new RegExp(`${name}\\W+on`));
    }
  });

  test("a failed run ends with 1 and the task's error message, read from the volume of logs", () => {
    const { code, text } = run("--", "dag", "run", "generator_control", "--wait", PATIENCE);
    expect(code).toBe(1);
    expect(text).toMatch(/require_paused_etl failed: etl_pipeline is not paused/);
    expect(text).toMatch(/pipeline -- stack run -- dag pause etl_pipeline/);
  });

  test("generator_control imports the sample by default, and continue goes on from its end", () => {
    dag("ddl_init");
    succeed("run", "--", "dag", "pause", "etl_pipeline");
    control(["import", "run_etl", "report"], "operation=import");
    succeed("generator", "on");
    succeed("run", "--", "generator", "pause");
    control(["continue", "run_etl", "report"], "operation=continue");
    succeed("generator", "off");
    succeed("run", "--", "topics", "--reset", "--all");
  });

  test("generator_control writes a history and loads it through the layers", async () => {
    control(["backfill", "run_etl", "report"]);
    succeed("run", "--", "dag", "unpause", "etl_pipeline");
    expect(await count(STACK, "dm.v_events_enriched", HTTP_PORT)).toBeGreaterThan(1_000);
  });

  test("broker_load and etl_pipeline do the same as data and transform", async () => {
    dag("broker_load", "limit=500");
    dag("etl_pipeline", "full_refresh=false", "wait_stg_timeout_sec=60");
    succeed("run", "prove");
    expect(await count(STACK, "stg.raw", HTTP_PORT)).toBeGreaterThanOrEqual(500);
  });

  test("the exporter has every metric that dashboards and rules use", async () => {
    const text = await (await fetch(EXPORTER)).text();
    const names = new Set([...text.matchAll(/^(airflow_\w+)/gm)].map(([, name]) => name));
    expect([...wanted].filter((name) => !names.has(name))).toEqual([]);
  });

  test("every query of dashboards and rules has data, and a drill ends with a resolved alert", () => {
    runPageBlock(STACK, "docs/how-to/add-a-dashboard-or-alert.md", 0);
    // This stack has no exporter of the broker.
    const text = runPageBlock(STACK, "docs/tutorial/first-hour.md", 3, {
      BrokerDown: "TargetDown",
    });
    expect(text).toMatch(/TargetDown/);
  });

  test("a second preview is empty", () => {
    const before = services(STACK);
    expect(succeed("up")).toMatch(/Resources:\s+\d+ unchanged\s/);
    expect(services(STACK)).toEqual(before);
  });

  test("recover-monitoring: empty series, a new exporter, a restarted scheduler, the rest untouched", async () => {
    const before = services(STACK);
    const seen = Date.now() / 1000;
    const known = async () => (await query(METRICS, `up @ ${seen}`)).length;
    expect(await known()).toBeGreaterThan(0);
    const text = succeed("recover-monitoring");
    expect(text).toContain("Deleting the series of the metrics store: volume prometheus-data.");
    // A kept connection leads to the removed container, so the first request may fail.
    await expect.poll(known, { timeout: 300_000 }).toBe(0);
    const { prometheus: metrics, "statsd-exporter": exporter, ...rest } = services(STACK);
    expect([metrics, exporter]).not.toContain(undefined);
    expect(Object.values(before)).not.toContain(metrics);
    expect(Object.values(before)).not.toContain(exporter);
    expect(before).toMatchObject(rest);
    const startOf = (service: string): number =>
      Date.parse(docker("inspect", "--format", "{{.State.StartedAt}}", rest[service] ?? "")) / 1000;
    for (const service of Object.keys(rest)) {
      const hasRestarted = startOf(service) > seen;
      expect(hasRestarted, service).toBe(AIRFLOW.includes(service));
    }
    const jobs = ["database", "pipeline", "scheduler", "generator", "prometheus"] as const;
    const names = rulesFor(new Set(jobs)).map(({ name }) => name);
    expect((await ruleNames(METRICS)).toSorted()).toEqual(names.toSorted());
    expect(text).toContain(`Rules: ${names.length} at Prometheus`);
    const targets = await targetsOf(METRICS);
    const expected = jobs.toSorted();
    expect(targets.map(({ labels }) => labels.job).toSorted()).toEqual(expected);
    expect(text).toContain("All targets are up.");
  });

  test("a changed DAG builds another image and replaces the services at the next start", () => {
    const file = "airflow/dags/ddl_init.py";
    const undo = writeFile(file, `${readText(file)}# Changed by a test.\n`);
    const text = succeed("preview");
    undo();
    for (const name of ["airflow-image", ...AIRFLOW]) {
      expect(text).toContain(`::${name}]`);
    }
  });

  test("a failing init job fails the start with its error message; after a fix the stack starts", () => {
    const version = sql("SELECT version_num FROM alembic_version");
    sql("UPDATE alembic_version SET version_num = 'from_elsewhere'");
    setSecret(STACK, "adminPassword", "another-password-of-the-administrator");
    const { code, text } = operate(STACK, "up");
    expect(code).toBe(1);
    expect(text).toMatch(/Can't locate revision identified by 'from_elsewhere'/);
    sql(`UPDATE alembic_version SET version_num = '${version}'`);
    succeed("up");
    expect(succeed("run", "--", "dag", "list")).toContain("etl_pipeline");
  });

  test("leaves nothing behind after clean", () => {
    succeed("clean");
    expect(belongings(STACK)).toEqual([]);
  });
});
