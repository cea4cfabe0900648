import { type Command, Option } from "commander";
import { readOverrides } from "../components/generator/overrides.ts";
import { MAX_OFFSET } from "../components/shared/names.ts";
import { UserError } from "../contract/errors.ts";
import { drillTable } from "../dashboards/drills/drill.ts";
import { runDrills } from "../stack/drills.ts";
import { runPipeline } from "../stack/lifecycle/client.ts";
import { lastScreen } from "../stack/lifecycle/closing-screen.ts";
import { confirmDeletion } from "../stack/lifecycle/confirm-deletion.ts";
import { clean, down, requireDeletable } from "../stack/lifecycle/down.ts";
import { shellExports } from "../stack/lifecycle/env.ts";
import { setGeneratorState } from "../stack/lifecycle/generator.ts";
import { init } from "../stack/lifecycle/init.ts";
import { readSecrets, renderSecrets } from "../stack/lifecycle/outputs.ts";
import { rotateSupersetKey } from "../stack/lifecycle/rotate.ts";
import { previewWith, renderPreview } from "../stack/lifecycle/run-preview.ts";
import { logs, ps, urls } from "../stack/lifecycle/show.ts";
import { up } from "../stack/lifecycle/up.ts";
import { resolveStackName, stackToDelete } from "../stack/lifecycle/workspace.ts";
import { recoverMonitoring, resetDashboards, restartStatsdExporter } from "../stack/monitoring.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { addDoctor } from "./doctor.ts";
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
      process.exitCode = await runPipeline(stack, args);
    });
}

type MakeCommand = (name: string, about: string) => Command;

function registerLifecycle(command: MakeCommand): void {
  const startCommand = (name: string, about: string): Command =>
    command(name, about)
      .option(
        "--config <name>",
        "configuration to copy for a new stack: Pulumi.<name>.yaml, or a file",
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
      await up(stack, { ...settings, selects: true });
      printLine(`\n${await lastScreen(stack)}`);
    },
  );
  startCommand("preview", "Show what up would do; changes no service and no file").action(
    async ({ stack, ...settings }) => {
      const text = await previewWith(stack, settings);
      printLine(renderPreview(text, readOverrides(process.env)));
    },
  );
  command(
    "env",
    "Print the shell variables for plain pulumi on the stack; evaluate the output with eval",
  ).action(async ({ stack }: StackOption) => printLine(await shellExports(stack)));
  command("down", "Stop and remove containers and networks; keeps data").action(({ stack }) =>
    down(stack),
  );
  command("clean", "Remove the stack with its data and secrets")
    .option("--foreign", "also remove containers and volumes that Pulumi does not record")
    .action(async ({ stack, foreign }) => {
      await requireDeletable(stack);
      await confirmDeletion(stack);
      await clean(stack, foreign);
    });
  command(
    "rotate-superset-key",
    "Give Superset a new secret key and re-encrypt its stored secrets",
  ).action(({ stack }: StackOption) => rotateSupersetKey(stack));
  command(
    "generator <on|off|restart>",
    "Set whether the generator publishes, now and after every up; or rebuild and restart it",
  ).action(async (action: string, { stack }: StackOption) => {
    process.exitCode = await setGeneratorState(stack, action);
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

export function registerMonitoringOfStack(command: MakeCommand): void {
  command("reload-monitoring", "Make Prometheus and Grafana re-read their files").action(
    async ({ stack }: StackOption) => {
      const restarted = await restartStatsdExporter(stack);
      if (restarted) printLine(`Restarted ${restarted}.`);
      await reloadAndCheck(stack);
    },
  );
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
  command(
    "drill [alerts...]",
    "Cause a fault, wait for its alert, recover, wait until it resolves",
  ).action(async (alerts: string[], { stack }: StackOption) => printDrills(alerts, stack));
}

const WAIT_SECONDS = "120";

async function reloadAndCheck(stack: string): Promise<void> {
  for (const args of [["reload"], ["check", "--wait", WAIT_SECONDS]]) {
    const code = await runPipeline(stack, ["monitoring", ...args]);
    if (code !== 0) process.exitCode = code;
    if (code !== 0) return;
  }
}

async function printDrills(alerts: readonly string[], stack: string): Promise<void> {
  const wanted = alerts.filter((name) => name !== "");
  if (wanted.length !== alerts.length) {
    throw new UserError("ALERT is empty", "run make drill ALERT=BrokerDown, or make drill-all");
  }
  const { passed, failed, leftOut } = await runDrills(stack, wanted, printLine);
  printLine(drillTable(passed));
  for (const line of leftOut) printLine(`Skipped: ${line}.`);
  if (failed.length > 0) {
    throw new UserError(
      `Drills failed:\n${failed.join("\n")}`,
      "run make doctor, then make drill ALERT=… for each alert",
    );
  }
}
