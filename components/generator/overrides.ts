import { UserError } from "../../contract/errors.ts";
import { FIXED_VARIABLES } from "./config.ts";

export type Overrides = Readonly<Record<string, string>>;

/** Reads `GEN_…` variables. @throws UserError for a variable that the stack sets */
export function readOverrides(environment: NodeJS.ProcessEnv): Overrides {
  refuseFixed(environment);
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[0].startsWith("GEN_") && Boolean(entry[1]),
    ),
  );
}

function refuseFixed(environment: NodeJS.ProcessEnv): void {
  const set = Object.entries(FIXED_VARIABLES).filter(([name]) => environment[name]);
  if (set.length === 0) return;
  const lines = set.map(([name, owner]) => `  ${name}=${environment[name]}: fixed, it is ${owner}`);
  throw new UserError(
    `These environment variables are set by the stack and cannot be overridden:\n${lines.join("\n")}`,
    `unset ${set.map(([name]) => name).join(" ")}`,
  );
}
