import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Example statement. Its file begins with comments: title, explanation, chart, and how often it runs. */
export interface Question {
  readonly file: string;
  readonly title: string;
  readonly about: string;
  /** Columns of the chart that answers the question. */
  readonly chart: { readonly value: string; readonly label: string };
  /** Seconds after which the statement runs again while its result is shown. */
  readonly every?: number;
  readonly sql: string;
}

/** From the project's root. */
export const QUESTION_FOLDER = "warehouse/engine/page/questions";
const FOLDER = join(import.meta.dirname, "../../..", QUESTION_FOLDER);
const HEADER =
  /^-- (?<title>.+)\n-- (?<about>.+)\n-- Chart: (?<value>\w+) by (?<label>\w+)\n(?:-- Every: (?<every>\d+) seconds\n)?/;

export const QUESTIONS: readonly Question[] = readdirSync(FOLDER)
  .sort()
  .map((file) => readQuestion(file, readFileSync(join(FOLDER, file), "utf8")));

function readQuestion(file: string, text: string): Question {
  const match = HEADER.exec(text);
  const { title, about, value, label, every } = match?.groups ?? {};
  if (!match || !title || !about || !value || !label) {
    throw new Error(`${file} needs the comments: title, explanation, "Chart: VALUE by LABEL"`);
  }
  const sql = text.slice(match[0].length).trimEnd();
  const repeated = every === undefined ? {} : { every: Number(every) };
  return { file, title, about, chart: { value, label }, ...repeated, sql };
}
