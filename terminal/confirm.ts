import { once } from "node:events";
import { createInterface } from "node:readline/promises";

/** Asks a question. @returns true only for y or yes; false at the end of the input */
export async function confirm(
  question: string,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<boolean> {
  const terminal = createInterface({ input, output });
  // `question` never resolves after the end of the input.
  const end = once(terminal, "close").then(() => "");
  const answer = await Promise.race([terminal.question(`${question} [y/N] `), end]);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
