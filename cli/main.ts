#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { explainMissingPart, isMissingPart, reportFailure } from "../terminal/failure.ts";

// Caching compiled code shortens each start.
enableCompileCache();
// A command that is piped to `head` keeps its exit code.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

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
