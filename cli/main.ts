#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { ignoreClosedPipes } from "../terminal/closed-pipe.ts";
import { reportFailure } from "../terminal/failure.ts";
import { explainMissingPart, isMissingPart } from "../terminal/missing-part.ts";

// Caching compiled code shortens each start.
enableCompileCache();
ignoreClosedPipes();

const command = process.argv[2] ?? "";
try {
  // This import is dynamic, so that missing dependencies give a message, not a stack trace.
  const { createProgram } = await import("./program.ts");
  await (await createProgram(command)).parseAsync();
} catch (error) {
  process.exitCode = reportFailure(
    isMissingPart(error) ? explainMissingPart(error, command) : error,
    command,
  );
}
