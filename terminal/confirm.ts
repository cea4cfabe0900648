import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import type { UserError } from "../contract/errors.ts";

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

/** Asks before a loss, unless `yes` or YES=1 confirms it in advance. @throws the refusal */
export async function requireConsent(
  yes: boolean | undefined,
  question: string,
  refusal: UserError,
): Promise<void> {
  if (yes || process.env.YES === "1") return;
  if (!process.stdin.isTTY || !(await confirm(question))) throw refusal;
}
