import { globSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import {
  findLab,
  isQuestion,
  LABS_ROOT,
  labSchema,
  readLabData,
  readLabs,
} from "../../../labs/lab.ts";
import { readPlan } from "../../../warehouse/batch/plan.ts";

const labs = readLabs();
/** A statement without comments, layout and the final semicolon. */
const plain = (sql: string): string =>
  sql.replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, " ").replace(/;\s*$/, "").trim();

test("every lab has a solution, and every solution a lab", () => {
  const solutions = globSync("solutions/*", { cwd: LABS_ROOT }).map((file) => basename(file));
  expect(labs.length).toBeGreaterThanOrEqual(12);
  expect(solutions.toSorted()).toEqual(
    labs.map((lab) => `${lab.name}.${isQuestion(lab) ? "sql" : "sh"}`),
  );
});

test("the labs are numbered from 1", () => {
  expect(labs.map(({ number }) => number)).toEqual(labs.map((_, index) => index + 1));
});

test("a repair names a file or table of the plan", () => {
  const run = readPlan().steps.flatMap(({ statements }) =>
    statements.flatMap((statement) => {
      if ("publish" in statement) return statement.publish;
      return "run" in statement ? statement.run : [];
    }),
  );
  const repairs = labs.flatMap(({ answer }) =>
    answer.kind === "repair" ? (answer.interrupted_before ?? []) : [],
  );
  expect(repairs.length).toBeGreaterThan(0);
  expect(run).toEqual(expect.arrayContaining(repairs));
});

const tokens = (text: string): string[] => text.match(/[\w-]+|[^\s\w]/g) ?? [];

test.each(labs)("no hint of lab $number has a part of its solution", ({ hints, solution }) => {
  const commands = solution.replaceAll(/^(#!?|--).*$/gm, "").replaceAll(/--database \S+/g, "");
  const code = ` ${tokens(commands).join(" ")} `;
  const parts = hints.flatMap((hint) => {
    const words = tokens(hint);
    return words.slice(0, -5).map((_, at) => ` ${words.slice(at, at + 6).join(" ")} `);
  });
  expect(parts.filter((part) => code.includes(part))).toEqual([]);
  const run = [...commands.matchAll(/^\.\/(pipeline .*?) *$/gm)].map(([, line = ""]) => line);
  expect(run.filter((line) => hints.join(" ").includes(line))).toEqual([]);
});

describe.each(labs.filter(isQuestion))("lab $number", (lab) => {
  test("every trap differs from the solution and from the other traps", () => {
    const statements = [lab.solution, ...lab.traps.map(({ sql }) => sql)].map(plain);
    expect(new Set(statements).size).toBe(statements.length);
  });

  test("every trap has a sentence of its own", () => {
    const sentences = lab.traps.map(({ why }) => why);
    expect(new Set(sentences).size).toBe(sentences.length);
    for (const why of sentences) expect(why).toMatch(/^[A-Z].*\.$/s);
  });
});

test("the schema refuses unknown keys, a single hint, a question without traps, a repair with one", () => {
  const [lab] = labs;
  if (lab === undefined) throw new Error("no lab");
  const { number, name, solution, ...file } = lab;
  expect(labSchema.safeParse(file).success).toBe(true);
  expect(labSchema.safeParse({ ...file, tolerance: 1 }).success).toBe(false);
  expect(labSchema.safeParse({ ...file, hints: ["one"] }).success).toBe(false);
  expect(labSchema.safeParse({ ...file, traps: [] }).success).toBe(false);
  expect(labSchema.safeParse({ ...file, answer: { kind: "text" } }).success).toBe(false);
  const repair = { ...file, answer: { kind: "repair", interrupted_before: "dds.click" } };
  expect(labSchema.safeParse(repair).success).toBe(false);
  expect(labSchema.safeParse({ ...repair, traps: [] }).success).toBe(true);
  const undamaged = { ...file, answer: { kind: "repair" }, traps: [] };
  expect(labSchema.safeParse(undamaged).success).toBe(false);
});

test("an unknown number is refused with the known ones", () => {
  expect(() => findLab(99)).toThrow(/no lab 99\. Allowed: 1, 2, /);
});

test("the two datasets have different seeds", () => {
  const { seed, other_seed } = readLabData();
  expect(seed).not.toBe(other_seed);
});
