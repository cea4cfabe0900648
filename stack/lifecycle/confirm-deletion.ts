import { UserError } from "../../contract/errors.ts";
import { confirm } from "../../terminal/confirm.ts";

type Ask = (question: string) => Promise<boolean>;

/** Asks, unless YES=1. @param ask undefined without a terminal @throws UserError if the answer is no */
export async function confirmDeletion(
  stack: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  ask: Ask | undefined = process.stdin.isTTY ? confirm : undefined,
): Promise<void> {
  const isAsked = ask !== undefined && env.YES !== "1";
  if (isAsked && !(await ask(`Delete the stack ${stack} with its data and secrets?`))) {
    throw new UserError("Nothing was deleted", "run make down to stop the stack and keep its data");
  }
  console.error(`Removing the stack ${stack} with its data.`);
}
