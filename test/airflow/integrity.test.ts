import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { pipeline } from "../support/cli.ts";
import { pythonEnvironment } from "../support/python.ts";
import { airflowHome, airflowPrograms, DAGS, OWN } from "./airflow.ts";
import { notedDeprecations, watchDeprecations } from "./deprecations.ts";
import { describeAirflow } from "./harness.ts";

const ROOT = join(import.meta.dirname, "../..");

interface Task {
  readonly id: string;
  readonly retries: number;
  readonly doc: string | null;
  /** Longest allowed load time, seconds. */
  readonly limit: number | null;
  readonly after: readonly string[];
  readonly arguments: readonly string[];
  readonly guard: string | null;
}

interface Found {
  readonly files: Record<string, { seconds: number; errors: string[]; dags: string[] }>;
  readonly dags: Record<
    string,
    {
      readonly schedule: string | null;
      readonly paused: boolean;
      readonly runs: number;
      readonly doc: string;
      readonly params: Record<string, Record<string, unknown>>;
      readonly tasks: Task[];
    }
  >;
  readonly deprecations: readonly string[];
}

function load(folder: string): Found {
  const home = mkdtempSync(join(tmpdir(), "test-dags-"));
  const script = join(import.meta.dirname, "integrity.py");
  const noted = join(home, "deprecations");
  const programs = airflowPrograms();
  const { stdout, stderr, status } = spawnSync(join(programs, "python"), [script, folder], {
    encoding: "utf8",
    env: {
      ...process.env,
      ...airflowHome(home, `sqlite:///${home}/airflow.db`),
      ...watchDeprecations(folder, noted),
    },
  });
  const deprecations = notedDeprecations(noted);
  rmSync(home, { recursive: true, force: true });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  return { ...JSON.parse(stdout.trim().split("\n").at(-1) ?? ""), deprecations } as Found;
}

const MANUAL = ["broker_load", "ddl_init", "etl_pipeline", "generator_control"];

describeAirflow("the DAG files", () => {
  let found: Found;
  beforeAll(() => {
    found = load(DAGS);
  });

  it("load in a few seconds of processor time each, without errors or warnings", () => {
    expect(Object.keys(found.dags).sort()).toEqual([...MANUAL, "etl_live"].sort());
    for (const [file, { errors, seconds }] of Object.entries(found.files)) {
      expect(errors, file).toEqual([]);
      expect(seconds, file).toBeLessThan(5);
    }
    expect(found.deprecations).toEqual([]);
  });

  it("deprecated APIs are detected: imported, passed as an argument, used in a task", () => {
    const { deprecations } = load(join(import.meta.dirname, "deprecated"));
    for (const seen of [/old\.py:5: .*empty/, /old\.py:18: .*email/, /old\.py:12: .*JobState/]) {
      expect(deprecations).toContainEqual(expect.stringMatching(seen));
    }
  });

  it("are manual and unpaused from the start; the one with a schedule is paused", () => {
    for (const [id, dag] of Object.entries(found.dags)) {
      expect({ id, schedule: dag.schedule, paused: dag.paused, runs: dag.runs }).toEqual({
        id,
        schedule: id === "etl_live" ? "0:00:30" : null,
        paused: id === "etl_live",
        runs: 1,
      });
      expect(dag.doc, id).toMatch(/\w+/);
    }
  });

  it("every task has a description and a time limit", () => {
    for (const { tasks } of Object.values(found.dags)) {
      for (const { id, doc, limit } of tasks) {
        expect(doc ?? "", id).toMatch(/\w{3}/);
        expect(limit, id).toBe(24 * 60 * 60);
      }
    }
  });

  it("have typed and described parameters with these defaults", () => {
    const defaults = (id: string) =>
      Object.fromEntries(
        Object.entries(found.dags[id]?.params ?? {}).map(([name, { value }]) => [name, value]),
      );
    expect(defaults("ddl_init")).toEqual({ verify_only: false });
    expect(defaults("broker_load")).toEqual({
      limit: 0,
      reset_topics: true,
      pause_generator: true,
      replace: false,
      agree_to_loss: false,
    });
    expect(defaults("etl_pipeline")).toEqual({ full_refresh: true, wait_stg_timeout_sec: 600 });
    expect(found.dags.etl_pipeline?.params.wait_stg_timeout_sec).toMatchObject({ minimum: 30 });
    expect(found.dags.generator_control?.params.operation).toMatchObject({
      enum: ["backfill", "import", "continue", "clean_start"],
    });
    for (const { params } of Object.values(found.dags)) {
      for (const [name, param] of Object.entries(params)) {
        expect(param.type ?? param.enum, name).toBeDefined();
        expect(param.description, name).toMatch(/\w{3}/);
      }
    }
  });

  it("etl_pipeline equals the plan: order, retries and commands of its tasks", () => {
    const { steps } = readPlan();
    expect(
      found.dags.etl_pipeline?.tasks.map(({ id, retries, after }) => ({ id, retries, after })),
    ).toEqual(
      steps.map(({ id, retries }, index) => ({
        id,
        retries,
        after: index === 0 ? [] : [steps[index - 1]?.id],
      })),
    );
    for (const { id, arguments: words } of found.dags.etl_pipeline?.tasks ?? []) {
      expect(words.slice(0, 2)).toEqual(["step", id]);
    }
    expect(
      found.dags.etl_pipeline?.tasks.find(({ id }) => id === "assert_dds_integrity")?.retries,
    ).toBe(0);
  });

  it("make transform and the demo run the same steps in the same order", () => {
    const ids = readPlan().steps.map(({ id }) => id);
    const folder = mkdtempSync(join(tmpdir(), "test-order-"));
    const data = join(folder, "demo");
    const size = ["--days", "1", "--rate", "2"];
    const report = join(folder, "report.html");
    const demo = pipeline(["demo", ...size, "--database", data, "--report", report]);
    const transform = pipeline(["transform", "--json", "--database", data]);
    rmSync(folder, { recursive: true, force: true });
    const begins = demo.stdout.split("\n").map((line) => line.trim().split(" ", 1)[0] ?? "");
    expect(
      begins.filter((word) => ids.includes(word)),
      demo.stderr,
    ).toEqual(ids);
    const taken = JSON.parse(transform.stdout) as { id: string }[];
    expect(taken.map(({ id }) => id)).toEqual(ids);
    // A make within `make test` also prints the directory that it enters.
    const dry = ["--dry-run", "--no-print-directory", "transform"];
    const make = spawnSync("make", dry, { cwd: ROOT, encoding: "utf8" });
    expect(make.stdout.trim()).toMatch(/ -- transform$/);
  });

  it("every task that calls the generator depends on the check of the pause", () => {
    const tasks = new Map(found.dags.generator_control?.tasks.map((task) => [task.id, task]));
    const before = (id: string): string[] =>
      (tasks.get(id)?.after ?? []).flatMap((one) => [one, ...before(one)]);
    for (const id of ["backfill", "import", "continue", "clean_start", "unpause_etl"]) {
      expect(before(id), id).toEqual(
        expect.arrayContaining(["require_paused_etl", "require_clean"]),
      );
    }
    for (const id of ["backfill", "import", "continue", "clean_start"]) {
      expect(tasks.get(id)?.guard, id).toBe("require_paused_etl");
    }
    expect(before("dry_run")).toEqual(["begin"]);
    // A retry restores the pause; without one, it would stay lifted until somebody clears the task.
    expect(tasks.get("restore_pause")?.retries).toBeGreaterThan(0);
  });

  it("broker_load removes rows only if the run confirms it", () => {
    const [task] = found.dags.broker_load?.tasks ?? [];
    expect(task?.arguments).toEqual([
      "data",
      "--limit",
      "{{ params.limit }}",
      "{{ '' if params.reset_topics else '--no-reset' }}",
      "{{ '' if params.pause_generator else '--no-pause-generator' }}",
      "{{ '--replace' if params.replace else '' }}",
      "{{ '--yes' if params.agree_to_loss else '' }}",
    ]);
  });

  it("clean_start requires confirmation in the task that removes data", () => {
    const task = found.dags.generator_control?.tasks.find(({ id }) => id === "clean_start");
    expect(task?.arguments).toContain("{{ '--yes' if params.agree_to_loss else '' }}");
    expect(task?.arguments).not.toContain("--yes");
  });

  it.each([OWN, import.meta.dirname])("pass ruff: %s", (folder) => {
    const lint = pythonEnvironment(join(import.meta.dirname, "requirements.txt"));
    if ("missing" in lint) throw new Error(lint.missing);
    const config = ["--config", join(OWN, "ruff.toml")];
    for (const args of [["check"], ["format", "--check"]]) {
      const { stdout, stderr, status } = spawnSync(
        lint.python,
        ["-m", "ruff", ...args, ...config, "--no-cache", folder],
        { encoding: "utf8", cwd: OWN },
      );
      expect({ status, output: status === 0 ? "" : `${stdout}${stderr}` }).toEqual({
        status: 0,
        output: "",
      });
    }
  });
});
