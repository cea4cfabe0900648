import type { OptionalService, StackConfig } from "../components/config.ts";
import { UserError } from "../contract/errors.ts";
import { changeHint } from "./lifecycle/stack-file.ts";

/** Commands of the pipeline that need a service. */
const NEEDS: Readonly<Record<string, OptionalService>> = {
  generator: "generator",
  dag: "airflow",
  "bi-init": "superset",
  monitoring: "prometheus",
};

/** Checks that a stack deploys a service. @throws UserError */
export function requireService(stack: string, config: StackConfig, name: OptionalService): void {
  if (config[name]) return;
  throw new UserError(
    `The stack ${stack} has no ${name}`,
    `${changeHint(stack, `enable ${name}`)}, then run make up STACK=${stack}`,
  );
}

/** Checks the service of a command. @throws UserError if it is disabled */
export function requireServiceOf(stack: string, config: StackConfig, command: string): void {
  const needed = NEEDS[command];
  if (needed) requireService(stack, config, needed);
}
