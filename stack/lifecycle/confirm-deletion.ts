import { UserError } from "../../contract/errors.ts";
import { confirm } from "../../terminal/confirm.ts";
import { isMadeFile, shownFile } from "./stack-file.ts";

type Ask = (question: string) => Promise<boolean>;

/** Asks, unless YES=1. @param ask undefined without a terminal @throws UserError if the answer is no */
export async function confirmDeletion(
  stack: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  ask: Ask | undefined = process.stdin.isTTY ? confirm : undefined,
): Promise<void> {
  const what = isMadeFile(stack)
    ? `its data, secrets and ${shownFile(stack)}`
    : "its data and secrets";
  const isAsked = ask !== undefined && env.YES !== "1";
  if (isAsked && !(await ask(`Delete the stack ${stack} with ${what}?`))) {
    throw new UserError("Nothing was deleted", "run make down to stop the stack and keep its data");
  }
  console.error(`Removing the stack ${stack} with ${what}.`);
}
