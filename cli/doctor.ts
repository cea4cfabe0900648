import type { Command } from "commander";
import { examine } from "../stack/doctor/doctor.ts";
import { renderReport } from "../stack/doctor/report.ts";
import { resolveStackName } from "../stack/lifecycle/workspace.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { jsonOption } from "./options.ts";

export function registerDoctor(program: Command): void {
  const doctor = program
    .command("doctor")
    .description("Check the machine and the stack; print a fix for each problem")
    .option("--stack <name>", "name of the stack; default: the one selected in Pulumi, or dev");
  addDoctor(doctor);
}

export function addDoctor(command: Command): void {
  command
    .addOption(jsonOption())
    .action(async ({ stack, json }: { stack?: string; json?: true }) => {
      const findings = await examine(await resolveStackName(stack ?? process.env.STACK));
      if (json) printJson(findings);
      else printLine(renderReport(findings));
      if (findings.some(({ status }) => status === "fail")) process.exitCode = 1;
    });
}
