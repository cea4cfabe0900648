import { afterAll, beforeAll } from "vitest";
import { openTestEngine, type TestEngine, type TestEngineOptions } from "./engine.ts";

/** Opens an engine before the tests of a file or suite, and closes it after them. */
export function useTestEngine(options?: TestEngineOptions): Pick<TestEngine, "db" | "directory"> {
  let engine: TestEngine | undefined;
  beforeAll(async () => {
    engine = await openTestEngine(options);
  });
  afterAll(() => engine?.[Symbol.asyncDispose]());
  const opened = (): TestEngine => {
    if (engine === undefined) throw new Error("The engine is not open");
    return engine;
  };
  return {
    get db() {
      return opened().db;
    },
    get directory() {
      return opened().directory;
    },
  };
}
