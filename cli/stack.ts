import { type Command, Option } from "commander";
import { readOverrides } from "../components/generator/overrides.ts";
import { MOST_OFFSET } from "../components/shared/names.ts";
import type { Database } from "../contract/ports.ts";
import { examine, renderFindings } from "../stack/doctor/doctor.ts";
import { runPipeline } from "../stack/lifecycle/client.ts";
import { lastScreen } from "../stack/lifecycle/closing-screen.ts";
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
import { printJson, printLine, wholeNumber } from "./options.ts";
import { registerMonitoringOfStack } from "./stack-monitoring.ts";

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
      .option("--stack <name>", "which stack; default: the one that Pulumi has selected, or dev");
  group.hook("preAction", async (_, action) => {
    const { stack, config } = action.opts<{ stack?: string; config?: string }>();
    const named = stack ?? process.env.STACK;
    const isDeletion = action.name() === "clean";
    const meant = isDeletion ? await stackToDelete(named) : await stackMeant(named, config);
    action.setOptionValue("stack", meant);
  });

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
  const starting = (name: string, about: string): Command =>
    command(name, about)
      .option(
        "--config <name>",
        "configuration that a new stack copies: Pulumi.<name>.yaml, or a file",
      )
      .option("--offset <ports>", "network.portOffset", wholeNumber(0, MOST_OFFSET))
      .addOption(new Option("--mode <mode>", "mode of the stack").choices(["live", "bare"]));
  starting("init", "Create the stack and its configuration; done by up as well").action(
    async ({ stack, ...settings }) => void (await init(stack, settings)),
  );
  starting("up", "Bring the stack to what its configuration says").action(
    async ({ stack, ...settings }) => {
      await up(stack, settings);
      printLine(`\n${lastScreen(stack)}`);
    },
  );
  starting("preview", "Show what up would do and what that means; changes no service and no file")
    .option("--json", "print the steps as Pulumi does, and the overrides, for programs")
    .action(async ({ stack, json, ...settings }) => {
      const overrides = readOverrides(process.env);
      const preview = await previewWith(stack, settings);
      if (json) printJson({ ...preview, overrides });
      else printLine(renderPlain(preview, overrides));
    });
  command("env", "Print what a shell needs for plain pulumi on the stack: eval it").action(
    async ({ stack }: StackOption) => printLine(await shellExports(stack)),
  );
  command("down", "Stop and remove containers and networks; data stays").action(({ stack }) =>
    down(stack),
  );
  command("clean", "Remove everything of the stack, data and secrets included")
    .option("--foreign", "also what Pulumi's backend here does not record")
    .action(({ stack, foreign }) => {
      console.error(`Removing the stack ${stack} with its data.`);
      return clean(stack, foreign);
    });
  command(
    "rotate-bi-key",
    "Give Superset a new secret key; what it keeps is encrypted anew",
  ).action(({ stack }: StackOption) => rotateBiKey(stack));
  command(
    "generator <on|off|restart>",
    "Let the generator publish, or stand by, now and after every up; or rebuild and restart it",
  ).action((action: string, { stack }: StackOption) => setGeneratorState(stack, action));
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
  command("doctor", "Find what keeps the stack from working, with the fix")
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
