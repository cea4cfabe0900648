/** Generates the page of the DAGs from their Python files and `sql/etl/plan.yaml`. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { code, tableText } from "./table.ts";

const DAGS = join(import.meta.dirname, "../../airflow/dags");

const PARAM =
  /"(\w+)": Param\(\s*([^,]+),((?:(?!description=).)*)description=((?:\s*"[^"]*")+),?\s*\)/gs;
const TASK = /task_id="(\w+)",.*?doc_md=((?:\s*"[^"]*")+)/gs;

/** Joins adjacent Python strings. */
const textOf = (literals: string): string =>
  [...literals.matchAll(/"([^"]*)"/g)].map(([, part]) => part).join("");

const DEFAULTS: Readonly<Record<string, string>> = { True: "true", False: "false", None: "" };
const defaultOf = (literal: string): string =>
  DEFAULTS[literal] ?? literal.trim().replaceAll('"', "");

function paramTable(source: string): string[] {
  const rows = [...source.matchAll(PARAM)].map(
    ([, name, fallback = "", constraints = "", description = ""]) => {
      const [, minimum] = /\bminimum=(\d+)/.exec(constraints) ?? [];
      const bound = minimum ? ` At least ${minimum}.` : "";
      return [code(name), `${textOf(description)}${bound}`, code(defaultOf(fallback))];
    },
  );
  return rows.length > 0 ? [tableText({ head: ["parameter", "meaning", "default"], rows })] : [];
}

const planTasks = (): string[][] =>
  readPlan().steps.map(({ id, about }) => [code(id), `${about}.`]);

function taskTable(name: string, source: string): string {
  const tasks = [...source.matchAll(TASK)].map(([, id, about = ""]) => [code(id), textOf(about)]);
  const rows = name === "etl_pipeline" ? planTasks() : tasks;
  return tableText({ head: ["task", "effect"], rows });
}

function section(file: string): string {
  const source = readFileSync(join(DAGS, file), "utf8");
  const name = basename(file, ".py");
  const [, about = ""] = /^"""(.*?)"""/s.exec(source) ?? [];
  const isManual = source.includes("schedule=None");
  const start = isManual ? "Started manually." : "Runs on a schedule, and starts paused.";
  return [`## ${name}`, start, about.trim(), ...paramTable(source), taskTable(name, source)].join(
    "\n\n",
  );
}

export const dagsPage = (): string =>
  [
    "# DAGs",
    "Each DAG runs once at a time: a second run waits. [Airflow](../airflow.md) explains order and use.",
    ...globSync("*.py", { cwd: DAGS }).toSorted().map(section),
  ].join("\n\n");
