import { Argument, type Command, Option } from "commander";
import { SECRET_MEANINGS } from "../components/secrets.ts";
import { MAX_OFFSET, stackNames } from "../components/shared/names.ts";
import { requireEngine } from "../stack/doctor/engine.ts";
import { runOnStack } from "../stack/lifecycle/client.ts";
import { clean, confirmDeletion, down, requireDeletable } from "../stack/lifecycle/down.ts";
import { init } from "../stack/lifecycle/init.ts";
import { readSecrets } from "../stack/lifecycle/outputs.ts";
import { rotateSupersetKey } from "../stack/lifecycle/rotate.ts";
import { closingScreen, logs, ps, urls } from "../stack/lifecycle/show.ts";
import { CREATE_COMMAND } from "../stack/lifecycle/stack-file.ts";
import { GENERATOR_ACTIONS, preview, setGenerator, up } from "../stack/lifecycle/up.ts";
import { resolveStackName, stackToDelete } from "../stack/lifecycle/workspace.ts";
import { recoverMonitoring, resetDashboards } from "../stack/monitoring.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { wholeNumber } from "./options.ts";

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
    if (named) stackNames(named, CREATE_COMMAND);
    // Before Pulumi, which may have to be downloaded.
    if (!WITHOUT_DOCKER.has(action.name())) await requireEngine();
    const isDeletion = action.name() === "clean";
    const meant = isDeletion ? await stackToDelete(named) : await resolveStackName(named, config);
    action.setOptionValue("stack", meant);
  });

  registerLifecycle(command);
  registerViews(command);
  registerMonitoringOfStack(command);
  command("run <args...>", "Run a command of the pipeline on the running stack")
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (args: string[], { stack }: StackOption) => {
      process.exitCode = await runOnStack(stack, args);
    });
}

const WITHOUT_DOCKER: ReadonlySet<string> = new Set(["init", "secrets"]);

type MakeCommand = (name: string, about: string) => Command;

function registerLifecycle(command: MakeCommand): void {
  const startCommand = (name: string, about: string): Command =>
    command(name, about)
      .option(
        "--config <name>",
        "configuration that a new stack copies: config/<name>.yaml, or a file",
      )
      .option(
        "--offset <ports>",
        "number to add to every published port (network.portOffset)",
        wholeNumber(0, MAX_OFFSET),
      )
      .addOption(new Option("--mode <mode>", "mode of the stack").choices(["live", "bare"]));
  startCommand("init", "Create the stack and its configuration; up does this, too").action(
    ({ stack, ...settings }) => init(stack, settings),
  );
  startCommand("up", "Start the stack and apply its configuration").action(
    async ({ stack, ...settings }) => {
      await up(stack, settings);
      printLine(`\n${await closingScreen(stack)}`);
    },
  );
  startCommand("preview", "Show what up would do; changes no service and no file").action(
    ({ stack, ...settings }) => preview(stack, settings),
  );
  command("down", "Stop and remove containers and networks; keeps data").action(({ stack }) =>
    down(stack),
  );
  command("clean", "Remove the stack with its data and secrets")
    .option("--foreign", "also remove what another Pulumi state created with this stack's name")
    .option("--protected", "also remove data that protectData protects")
    .action(async ({ stack, ...consent }) => {
      await requireDeletable(stack, consent);
      await confirmDeletion(stack);
      await clean(stack, consent);
    });
  command(
    "rotate-superset-key",
    "Give Superset a new secret key and re-encrypt its stored secrets",
  ).action(({ stack }: StackOption) => rotateSupersetKey(stack));
  command(
    "generator",
    "Set whether the generator publishes, now and after every up; or rebuild and restart it",
  )
    .addArgument(new Argument("<action>").choices(GENERATOR_ACTIONS))
    .action(async (action: (typeof GENERATOR_ACTIONS)[number], { stack }: StackOption) => {
      process.exitCode = await setGenerator(stack, action);
    });
}

function registerViews(command: MakeCommand): void {
  command("urls", "Print addresses, whether they answer, and the location of the passwords").action(
    async ({ stack }: StackOption) => {
      const { text, areAllAnswering } = await urls(stack);
      printLine(text);
      if (!areAllAnswering) process.exitCode = 1;
    },
  );
  command("secrets", "Print the stack's secrets")
    .option("--json", "print JSON for programs")
    .action(async ({ stack, json }) => {
      const values = await readSecrets(stack);
      if (json) printJson(values);
      else for (const [name, value] of Object.entries(values)) printLine(secretLine(name, value));
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
}

function secretLine(name: string, value: string): string {
  const meaning = SECRET_MEANINGS[name];
  return `${name}  ${value}${meaning ? `  (${meaning})` : ""}`;
}

function registerMonitoringOfStack(command: MakeCommand): void {
  command("recover-monitoring", "Re-create the metrics store with empty series, and check").action(
    async ({ stack }: StackOption) => {
      await recoverMonitoring(stack, printLine);
      await reloadAndCheck(stack);
    },
  );
  command("reset-dashboards", "Re-create Grafana and its content, then check it").action(
    async ({ stack }: StackOption) => {
      await resetDashboards(stack, printLine);
      await reloadAndCheck(stack);
    },
  );
}

const WAIT_SECONDS = "120";

async function reloadAndCheck(stack: string): Promise<void> {
  for (const args of [["reload"], ["check", "--wait", WAIT_SECONDS]]) {
    const code = await runOnStack(stack, ["monitoring", ...args]);
    if (code !== 0) process.exitCode = code;
    if (code !== 0) return;
  }
}
