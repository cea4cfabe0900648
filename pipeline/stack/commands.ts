import { type Command, Option } from "commander";
import type { Database } from "../../contract/ports.ts";
import { printJson, printLine, wholeNumber } from "../commands/options.ts";
import { openDatabase } from "../database/open.ts";
import { examine, renderFindings } from "./doctor/doctor.ts";
import { MODES } from "./manage/choices.ts";
import { runPipeline } from "./manage/client.ts";
import { clean, down } from "./manage/down.ts";
import { steerGenerator } from "./manage/generator.ts";
import { init } from "./manage/init.ts";
import { upInMode } from "./manage/living.ts";
import { readSecrets, renderSecrets } from "./manage/outputs.ts";
import { previewWith } from "./manage/preview-of.ts";
import { rotateBiKey } from "./manage/rotate.ts";
import { setSecret } from "./manage/set-secret.ts";
import { logs, ps, urls } from "./manage/show.ts";
import { registerMonitoringOfStack } from "./monitoring-commands.ts";
import { MOST_OFFSET } from "./names.ts";
import { reloadDatabase } from "./reload-database.ts";
import { renderPlain } from "./report/plain.ts";

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
  registerMonitoringOfStack(command);
  command("run <args...>", "Run a command of the pipeline on the running stack")
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (args: string[], { stack }: StackOption) => {
      process.exitCode = await runPipeline(stack, args);
    });
  program
    .command("reload-database", { hidden: true })
    .option("--reopen", "read from the broker anew, where its address or password changed")
    .action(({ reopen = false }) => onDatabase((db) => reloadDatabase(db, reopen)));
}

type MakeCommand = (name: string, about: string) => Command;

function registerLife(command: MakeCommand): void {
  command("init", "Make backend and stack; done by up as well")
    .option("--config <name>", "committed configuration to start from: Pulumi.<name>.yaml")
    .option("--offset <ports>", "added to every published port", wholeNumber(0, MOST_OFFSET))
    .action(({ stack, config, offset }) => init(stack, { config, offset }));
  command("up", "Bring the stack to what its configuration says")
    .option("--config <name>", "committed configuration to start from: Pulumi.<name>.yaml")
    .option("--offset <ports>", "added to every published port", wholeNumber(0, MOST_OFFSET))
    .addOption(
      new Option(
        "--mode <mode>",
        "living: a week of history, then current events (a new stack's default); bare: services only",
      ).choices(MODES),
    )
    .action(async ({ stack, ...options }) => {
      printLine(`\n${await upInMode(stack, options)}`);
    });
  command("preview", "Show what up would do and what that means; changes nothing")
    .option("--json", "print Pulumi's own account, for programs")
    .option("--config <name>", "committed configuration to start from, or a file")
    .option("--offset <ports>", "added to every published port", wholeNumber(0, MOST_OFFSET))
    .action(async ({ stack, json, ...options }) => {
      const preview = await previewWith(stack, options);
      if (json) printJson(preview);
      else printLine(renderPlain(preview));
    });
  command("down", "Stop and remove containers and networks; data stays").action(({ stack }) =>
    down(stack),
  );
  command("clean", "Remove everything of the stack, data and secrets included")
    .option("--foreign", "also what another checkout has made")
    .action(({ stack, foreign }) => clean(stack, foreign));
  command(
    "set-secret <name>",
    "Take a secret of your own from the terminal or standard input",
  ).action((name: string, { stack }: StackOption) => setSecret(stack, name));
  command(
    "rotate-bi-key",
    "Give Superset a new secret key; what it keeps is encrypted anew",
  ).action(({ stack }: StackOption) => rotateBiKey(stack));
  command(
    "generator <on|off|restart>",
    "Let the generator publish, or stand by, now and after every up; or rebuild and restart it",
  ).action((wish: string, { stack }: StackOption) => steerGenerator(stack, wish));
}

function registerViews(command: MakeCommand): void {
  command("urls", "Print addresses and where the passwords are").action(({ stack }) =>
    printLine(urls(stack)),
  );
  command("secrets", "Print the stack's secrets")
    .option("--json", "print JSON for programs")
    .action(async ({ stack, json }) => {
      const values = await readSecrets(stack);
      if (json) printJson(values);
      else printLine(renderSecrets(values));
    });
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

async function onDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  const db = await openDatabase(process.env.CLICKHOUSE_URL ?? "");
  try {
    await work(db);
  } finally {
    await db.close();
  }
}
