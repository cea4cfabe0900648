import type { Command } from "commander";
import { DatabaseError, UserError } from "../../contract/errors.ts";
import { printJson, printLine } from "../commands/options.ts";
import { openDatabase } from "../database/open.ts";
import { examine, renderFindings } from "./doctor/doctor.ts";
import { readChoices, writeChoices } from "./manage/choices.ts";
import { runPipeline } from "./manage/client.ts";
import { clean, down } from "./manage/down.ts";
import { init } from "./manage/init.ts";
import { logs, ps, urls } from "./manage/show.ts";
import { previewOf, up } from "./manage/up.ts";

interface StackOption {
  readonly stack: string;
}

/** `pipeline stack …`: what stands behind the make targets of the running stack. */
export function registerStack(program: Command): void {
  program.enablePositionalOptions();
  const group = program
    .command("stack")
    .description("Start, stop and look after the stack")
    .enablePositionalOptions();
  const command = (name: string, about: string): Command =>
    group
      .command(name)
      .description(about)
      .option("--stack <name>", "which stack", process.env.STACK || "dev");

  registerLife(command);
  registerViews(command);
  command("run <args...>", "Run a command of the pipeline on the running stack")
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (args: string[], { stack }: StackOption) => {
      process.exitCode = await runPipeline(stack, args);
    });
  program.command("reload-database", { hidden: true }).action(reloadDatabase);
}

type MakeCommand = (name: string, about: string) => Command;

function registerLife(command: MakeCommand): void {
  command("init", "Make backend, secrets and stack; done by up as well")
    .option("--config <name>", "committed configuration to start from: Pulumi.<name>.yaml")
    .option("--offset <ports>", "added to every published port", Number)
    .action(({ stack, config, offset }) => init(stack, { config, offset }));
  command("up", "Bring the stack to what its configuration says")
    .option("--config <name>", "committed configuration to start from: Pulumi.<name>.yaml")
    .option("--offset <ports>", "added to every published port", Number)
    .option("--replace <pattern>", "make these resources anew")
    .action(async ({ stack, ...options }) => {
      await up(stack, options);
      printLine(`\n${urls(stack)}\n\nnext: ${NEXT}`);
    });
  command("preview", "Print what up would do, as JSON; changes nothing")
    .option("--config <name>", "committed configuration to start from, or a file")
    .option("--offset <ports>", "added to every published port", Number)
    .action(async ({ stack, ...options }) => {
      await init(stack, options);
      printJson(await previewOf(stack));
    });
  command("down", "Stop and remove containers and networks; data stays").action(({ stack }) =>
    down(stack),
  );
  command("clean", "Remove everything of the stack, data and secrets included").action(
    ({ stack }) => clean(stack),
  );
  command(
    "generator <on|off>",
    "Let the generator publish, or stand by, now and after every up",
  ).action(async (wish: string, { stack }: StackOption) => {
    writeChoices(stack, { ...readChoices(stack), generatorEnabled: isOn(wish) });
    await up(stack);
  });
}

const NEXT = "make data && make transform, then make prove; make doctor if something is amiss";

function isOn(wish: string): boolean {
  if (wish === "on" || wish === "off") return wish === "on";
  throw new UserError(`generator ${wish}: allowed are on and off.`);
}

function registerViews(command: MakeCommand): void {
  command("urls", "Print addresses and where the passwords are").action(({ stack }) =>
    printLine(urls(stack)),
  );
  command("ps", "List the services with state and health").action(async ({ stack }) =>
    printLine(await ps(stack)),
  );
  command("logs [service]", "Follow a service's log; without a service the end of all").action(
    (service: string | undefined, { stack }: StackOption) => logs(stack, service || undefined),
  );
  command("doctor", "Find what keeps the stack from working, with the cure")
    .option("--json", "print JSON for programs")
    .action(async ({ stack, json }) => {
      const findings = await examine(stack);
      if (json) printJson(findings);
      else printLine(renderFindings(findings));
      if (findings.some(({ status }) => status === "fail")) process.exitCode = 1;
    });
}

const UNSUPPORTED = 1;

/** Makes the server read its files now, and tell what is wrong with them. */
async function reloadDatabase(): Promise<void> {
  const db = await openDatabase(process.env.CLICKHOUSE_URL ?? "");
  try {
    await db.run("SYSTEM RELOAD CONFIG");
  } catch (error) {
    // The embedded engine behind its HTTP interface looks for changes by itself.
    if (!(error instanceof DatabaseError) || error.code !== UNSUPPORTED) throw error;
  } finally {
    await db.close();
  }
}
