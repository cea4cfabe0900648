import { basename } from "node:path";
import { UserError } from "../../contract/errors.ts";
import { type ClockRow, clockRowSchema } from "./format.ts";
import { readLines } from "./lines.ts";

/** Yields the rows of a clock file. @throws UserError for an invalid row */
export async function* readClock(file: string): AsyncGenerator<ClockRow> {
  let line = 0;
  for await (const lines of readLines(file)) {
    for (const text of lines) {
      line += 1;
      yield parseRow(text, `${basename(file)}:${line}`);
    }
  }
}

function parseRow(text: string, where: string): ClockRow {
  try {
    return clockRowSchema.parse(JSON.parse(text));
  } catch {
    throw new UserError(
      `${where} is not a clock row: ${text.slice(0, 80)}`,
      "restore the file, or remove it to load the data set without emission times",
    );
  }
}
