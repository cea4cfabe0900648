import type { Command } from "commander";
import { examine, renderFindings, renderSummary } from "../stack/doctor/doctor.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { jsonOption } from "./options.ts";

export function registerDoctor(program: Command): void {
  program
    .command("doctor")
    .description("Check the machine and the stack's ports; print a fix for each problem")
    .option("--stack <name>", "name of the stack; default: the one selected in Pulumi, or dev")
    .addOption(jsonOption())
    .action(async ({ stack, json }: { stack?: string; json?: true }) => {
      const findings = await examine(
        (found) => json || printLine(renderFindings(found)),
        stack ?? process.env.STACK,
      );
      if (json) printJson(findings);
      else printLine(`\n${renderSummary(findings)}`);
      if (findings.some(({ status }) => status === "fail")) process.exitCode = 1;
    });
}
