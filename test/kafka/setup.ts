import type { TestProject } from "vitest/node";
import { TestBroker } from "./broker.ts";
import { missingNeeds } from "./needs.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the broker that the files of a run share. */
    broker: string;
  }
}

/** Starts the broker of the run, because each start costs seconds of processor time. */
export default async function startBroker(project: TestProject): Promise<() => Promise<void>> {
  if (missingNeeds().length > 0) return async () => undefined;
  const broker = await TestBroker.start();
  project.provide("broker", broker.bootstrap);
  return () => broker.stop();
}
