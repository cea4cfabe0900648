import { join } from "node:path";

/** Where a checkout keeps what is its own and never committed: backend, secrets, choices. */
export const stateFolder = (): string =>
  process.env.EVENT_PIPELINE_STATE ?? join(import.meta.dirname, "../../.state");

export const stackFolder = (stack: string): string => join(stateFolder(), "stacks", stack);
export const secretsFile = (stack: string): string => join(stackFolder(stack), "secrets.json");
