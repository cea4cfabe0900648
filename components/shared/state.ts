import { join, resolve } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

export const stateFolder = (): string =>
  resolve(ROOT, process.env.EVENT_PIPELINE_STATE ?? ".state");
