#!/usr/bin/env node
import { Command } from "commander";
import { registerBatch } from "./commands/batch.ts";
import { registerData } from "./commands/data.ts";
import { registerDemo } from "./commands/demo.ts";
import { registerFollow } from "./commands/follow.ts";
import { registerHistory } from "./commands/history.ts";
import { registerProve } from "./commands/prove.ts";
import { registerSchema } from "./commands/schema.ts";
import { registerServe } from "./commands/serve.ts";
import { registerTopics } from "./commands/topics.ts";
import { registerStack } from "./stack/commands.ts";
import { reportFailure } from "./terminal/failure.ts";

const program = new Command("pipeline")
  .description("Operates the event pipeline: schema, data, batch process, ledger, demo.")
  .showHelpAfterError("(pipeline --help shows the commands)")
  .helpCommand(false)
  .configureHelp({ sortSubcommands: false });

registerDemo(program);
registerSchema(program);
registerData(program);
registerBatch(program);
registerProve(program);
registerFollow(program);
registerHistory(program);
registerServe(program);
registerTopics(program);
registerStack(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
}
