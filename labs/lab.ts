/** Exercises: reads and checks their files. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { UserError } from "../contract/errors.ts";
import { MEASURES } from "../contract/truth.ts";
import { BEHAVIOURS } from "../generator/behaviour/config.ts";
import { scenarioNames } from "../generator/behaviour/scenario/scenario.ts";

export const LABS_ROOT = import.meta.dirname;

const text = z.string().trim().min(1);
const columnName = z.string().regex(/^[a-z_]+$/);
/** Numbers may differ by half of the last of these decimals. */
const decimals = z.int().min(0).max(6);

/** How an answer is marked: what it must contain, and what it is compared with. */
const answerSchema = z.discriminatedUnion("kind", [
  /** One number, compared with the solution's. */
  z.strictObject({ kind: z.literal("number"), meaning: text, decimals }),
  /** Rows with these columns, in any order, compared with the solution's. */
  z.strictObject({
    kind: z.literal("rows"),
    columns: z.record(columnName, text),
    decimals,
    /** Columns with times, and the minutes by which they may differ. */
    minutes: z.record(columnName, z.number().positive()).optional(),
  }),
  /** A row with `low` and `high`: must contain a published truth, and be as wide as the solution's. */
  z.strictObject({
    kind: z.literal("interval"),
    truth: z.strictObject({
      sessions: z.enum(["first", "second", "any"]),
      measure: z.enum(MEASURES),
      dimension: text,
      segment: text,
      minus: text,
    }),
    decimals,
  }),
  /** No answer: a damaged copy of the data is repaired. */
  z
    .strictObject({
      kind: z.literal("repair"),
      /** Statements before the only load. */
      before_load: z.array(text).default([]),
      /** The file of sql/etl before which a second full refresh ends. */
      interrupted_before: text.optional(),
      /** Statements after all loads. */
      after_load: z.array(text).default([]),
    })
    .refine(
      ({ before_load, interrupted_before, after_load }) =>
        before_load.length + after_load.length > 0 || interrupted_before !== undefined,
      "a repair needs a damage",
    ),
]);

/** An answer that looks right: the result of `sql`. */
const trapSchema = z.strictObject({ sql: text, why: text });

export const labSchema = z
  .strictObject({
    title: text,
    /** What the exercise is about, for teachers. */
    learn: text,
    question: text,
    /** The data are of this scenario; without it those of data.yaml. */
    scenario: z
      .string()
      .refine((name) => scenarioNames().includes(name))
      .optional(),
    answer: answerSchema,
    hints: z.array(text).min(2).max(3),
    traps: z.array(trapSchema).default([]),
  })
  .refine(({ answer, traps }) => (answer.kind === "repair") === (traps.length === 0), {
    path: ["traps"],
    error: "a question needs a trap, and a repair has none",
  });

export interface Lab extends z.infer<typeof labSchema> {
  readonly number: number;
  /** Name of the files, such as `01-sessions-per-day`. */
  readonly name: string;
  /** A SELECT; the shell commands of a repair. */
  readonly solution: string;
}

const dataSchema = z.strictObject({
  behaviour: z.enum(BEHAVIOURS),
  days: z.number().positive(),
  rate: z.number().positive(),
  seed: text,
  other_seed: text,
});

export const readLabData = () =>
  dataSchema.parse(parse(readFileSync(join(LABS_ROOT, "data.yaml"), "utf8")));

export const readLabs = (): Lab[] =>
  globSync("[0-9][0-9]-*.yaml", { cwd: LABS_ROOT }).toSorted().map(readLab);

function readLab(file: string): Lab {
  const name = basename(file, ".yaml");
  const read = (path: string): string => readFileSync(join(LABS_ROOT, path), "utf8");
  const lab = labSchema.parse(parse(read(file)));
  const solution = read(`solutions/${name}.${lab.answer.kind === "repair" ? "sh" : "sql"}`);
  return { ...lab, number: Number(name.slice(0, 2)), name, solution };
}

/** @throws UserError if there is no lab with the number */
export function findLab(number: number): Lab {
  const labs = readLabs();
  const lab = labs.find((one) => one.number === number);
  if (lab !== undefined) return lab;
  const numbers = labs.map((one) => one.number).join(", ");
  throw new UserError(`There is no lab ${number}. Allowed: ${numbers}`, "run `pipeline lab list`");
}

export type Repair = Extract<Lab["answer"], { kind: "repair" }>;

/** A lab whose answer is a number or a statement. */
export type Question = Lab & { readonly answer: Exclude<Lab["answer"], { kind: "repair" }> };

export const isQuestion = (lab: Lab): lab is Question => lab.answer.kind !== "repair";

/** Columns that a statement must return; undefined for a single number. */
export function columnsOf({ answer }: Question): Readonly<Record<string, string>> | undefined {
  if (answer.kind === "number") return undefined;
  if (answer.kind === "rows") return answer.columns;
  return { low: "lower end of the interval", high: "upper end of the interval" };
}
