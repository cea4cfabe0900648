import { once } from "node:events";
import { createInterface } from "node:readline/promises";

/** Anything but y or yes, also the end of the input, is no. */
export async function confirm(
  question: string,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<boolean> {
  const terminal = createInterface({ input, output });
  // The promise of a question never ends when its input does.
  const end = once(terminal, "close").then(() => "");
  const answer = await Promise.race([terminal.question(`${question} [y/N] `), end]);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
