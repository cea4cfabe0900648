import { type Command, Option } from "commander";
import { readOverrides } from "../components/generator/overrides.ts";
import { MOST_OFFSET } from "../components/shared/names.ts";
import type { Database } from "../contract/ports.ts";
import { runPipeline } from "../stack/lifecycle/client.ts";
import { lastScreen } from "../stack/lifecycle/closing-screen.ts";
import { confirmDeletion } from "../stack/lifecycle/confirm-deletion.ts";
import { clean, down } from "../stack/lifecycle/down.ts";
import { shellExports } from "../stack/lifecycle/env.ts";
import { setGeneratorState } from "../stack/lifecycle/generator.ts";
import { init } from "../stack/lifecycle/init.ts";
import { readSecrets, renderSecrets } from "../stack/lifecycle/outputs.ts";
import { rotateBiKey } from "../stack/lifecycle/rotate.ts";
import { previewWith } from "../stack/lifecycle/run-preview.ts";
import { logs, ps, urls } from "../stack/lifecycle/show.ts";
import { up } from "../stack/lifecycle/up.ts";
import { stackMeant, stackToDelete } from "../stack/lifecycle/workspace.ts";
import { renderPlain } from "../stack/preview-report/plain.ts";
import { reloadDatabase } from "../stack/reload-database.ts";
import { openDatabase } from "../warehouse/database/open.ts";
import { addDoctor } from "./doctor.ts";
import { printJson, printLine, wholeNumber } from "./options.ts";
import { registerMonitoringOfStack } from "./stack-monitoring.ts";

interface StackOption {
  readonly stack: string;
}

export function registerStack(program: Command): void {
  program.enablePositionalOptions();
  const group = program
    .command("stack")
    .description("Start, stop and operate the stack")
    .enablePositionalOptions();
  const command = (name: string, about: string): Command =>
    group
      .command(name)
      .description(about)
      .option("--stack <name>", "name of the stack; default: the one selected in Pulumi, or dev");
  group.hook("preAction", async (_, action) => {
    const { stack, config } = action.opts<{ stack?: string; config?: string }>();
    const named = stack ?? process.env.STACK;
    const isDeletion = action.name() === "clean";
    const meant = isDeletion ? await stackToDelete(named) : await stackMeant(named, config);
    action.setOptionValue("stack", meant);
  });

  registerLifecycle(command);
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
    .option("--reopen", "reconnect to the broker after its address or password changed")
    .action(({ reopen = false }) => onDatabase((db) => reloadDatabase(db, reopen)));
}

type MakeCommand = (name: string, about: string) => Command;

function registerLifecycle(command: MakeCommand): void {
  const starting = (name: string, about: string): Command =>
    command(name, about)
      .option(
        "--config <name>",
        "configuration to copy for a new stack: Pulumi.<name>.yaml, or a file",
      )
      .option(
        "--offset <ports>",
        "number added to every published port (network.portOffset)",
        wholeNumber(0, MOST_OFFSET),
      )
      .addOption(new Option("--mode <mode>", "mode of the stack").choices(["live", "bare"]));
  starting("init", "Create the stack and its configuration; done by up as well").action(
    async ({ stack, ...settings }) => void (await init(stack, settings)),
  );
  starting("up", "Start the stack and apply its configuration").action(
    async ({ stack, ...settings }) => {
      await up(stack, settings);
      printLine(`\n${lastScreen(stack)}`);
    },
  );
  starting("preview", "Show what up would do; changes no service and no file")
    .option("--json", "print Pulumi's steps and the overrides as JSON")
    .action(async ({ stack, json, ...settings }) => {
      const overrides = readOverrides(process.env);
      const preview = await previewWith(stack, settings);
      if (json) printJson({ ...preview, overrides });
      else printLine(renderPlain(preview, overrides));
    });
  command("env", "Print the shell variables for plain pulumi on the stack; eval the output").action(
    async ({ stack }: StackOption) => printLine(await shellExports(stack)),
  );
  command("down", "Stop and remove containers and networks; keeps data").action(({ stack }) =>
    down(stack),
  );
  command("clean", "Remove everything of the stack, data and secrets included")
    .option("--foreign", "also remove objects that Pulumi's backend here does not record")
    .action(async ({ stack, foreign }) => {
      await confirmDeletion(stack);
      await clean(stack, foreign);
    });
  command(
    "rotate-bi-key",
    "Give Superset a new secret key and re-encrypt its stored secrets",
  ).action(({ stack }: StackOption) => rotateBiKey(stack));
  command(
    "generator <on|off|restart>",
    "Set whether the generator publishes, now and after every up; or rebuild and restart it",
  ).action((action: string, { stack }: StackOption) => setGeneratorState(stack, action));
}

function registerViews(command: MakeCommand): void {
  command("urls", "Print addresses and the location of the passwords").action(({ stack }) =>
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
  command(
    "logs [service]",
    "Follow a service's log; without a service, print the end of all",
  ).action((service: string | undefined, { stack }: StackOption) =>
    logs(stack, service || undefined),
  );
  addDoctor(command("doctor", "Check the machine and the stack; print a fix for each problem"));
}

async function onDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  const db = await openDatabase(process.env.CLICKHOUSE_URL ?? "");
  try {
    await work(db);
  } finally {
    await db.close();
  }
}
