import { basename } from "node:path";
import { UserError } from "../../contract/errors.ts";
import { type ClockRow, clockRowSchema } from "./format.ts";
import { readLines } from "./lines.ts";

/** @throws UserError at a row that is none */
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
      `${where} is not a row of the clock: ${text.slice(0, 80)}`,
      "Restore the file, or remove it: the data set then loads without times of emission",
    );
  }
}
