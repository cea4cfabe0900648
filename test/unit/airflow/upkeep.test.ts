import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { folderOfTest } from "../../support/use-folder.ts";

const SCRIPT = join(import.meta.dirname, "../../../airflow/upkeep.sh");
const DAY_SECONDS = 86_400;

let place = "";
beforeEach(() => {
  place = folderOfTest("upkeep");
});

/** Runs the script with a fake `airflow` that records its arguments and ends with this code. */
function upkeep(code = 0): { status: number | null; asked: string } {
  const note = join(place, "asked");
  const program = join(place, "airflow");
  writeFileSync(program, `#!/bin/sh\necho "$@" > ${note}\nexit ${code}\n`, { mode: 0o755 });
  const { status } = spawnSync("bash", [SCRIPT], {
    env: {
      PATH: [place, process.env.PATH].join(delimiter),
      AIRFLOW__LOGGING__BASE_LOG_FOLDER: join(place, "logs"),
      LOG_DAYS: "14",
    },
  });
  return { status, asked: existsSync(note) ? readFileSync(note, "utf8") : "" };
}

/** Creates a file, or with a trailing slash a folder, this many days old. */
function make(path: string, days: number): string {
  const whole = join(place, "logs", path);
  const isFolder = path.endsWith("/");
  mkdirSync(isFolder ? whole : join(whole, ".."), { recursive: true });
  if (!isFolder) writeFileSync(whole, "words");
  const time = Date.now() / 1000 - days * DAY_SECONDS;
  utimesSync(whole, time, time);
  return whole;
}

test("removes old logs and empty folders; keeps the folder that was just created for a task", () => {
  const old = [make("dag_id=a/run_id=1/attempt=1.log", 15), make("dag_id=a/run_id=2/", 2)];
  const young = [
    make("dag_id=a/run_id=3/attempt=1.log", 13),
    make("dag_id=b/run_id=4/task_id=c/", 0),
  ];
  expect(upkeep().status).toBe(0);
  expect(old.filter(existsSync)).toEqual([]);
  expect(young.filter((path) => !existsSync(path))).toEqual([]);
});

test("names the tables, without the DAGs' own, which holds their pauses", () => {
  make("dag_id=a/", 0);
  const [, tables = ""] = /--tables (\S+)/.exec(upkeep().asked) ?? [];
  expect(tables.split(",")).toEqual(expect.arrayContaining(["dag_run", "task_instance", "xcom"]));
  expect(tables.split(",")).not.toContain("dag");
});

test("reports a failure and continues", () => {
  const old = make("dag_id=a/run_id=1/attempt=1.log", 15);
  expect(upkeep(3).status).toBe(1);
  expect(existsSync(old)).toBe(false);
  rmSync(join(place, "logs"), { recursive: true });
  const { status, asked } = upkeep();
  expect(status).toBe(1);
  expect(asked).toMatch(/^db clean /);
});
