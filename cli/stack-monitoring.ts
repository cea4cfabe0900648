import type { Command } from "commander";
import { UserError } from "../contract/errors.ts";
import { drillTable } from "../dashboards/drills/drill.ts";
import { runDrills } from "../stack/drills.ts";
import { runPipeline } from "../stack/lifecycle/client.ts";
import { recoverMonitoring, resetDashboards, restartStatsdExporter } from "../stack/monitoring.ts";
import { printLine } from "./options.ts";

type MakeCommand = (name: string, about: string) => Command;

interface StackOption {
  readonly stack: string;
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
