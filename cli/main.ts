#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { ignoreClosedPipes } from "../terminal/closed-pipe.ts";
import { reportFailure } from "../terminal/failure.ts";
import { explainMissingPart, isMissingPart } from "../terminal/missing-part.ts";

// Types are stripped and code is compiled once, not at every start: a third of a second of each.
enableCompileCache();
ignoreClosedPipes();

const command = process.argv[2] ?? "";
try {
  // Imported here, so that a checkout without its dependencies gets a message, not a stack trace.
  const { createProgram } = await import("./program.ts");
  await (await createProgram(command)).parseAsync();
} catch (error) {
  process.exitCode = reportFailure(
    isMissingPart(error) ? explainMissingPart(error, command) : error,
    command,
  );
}
