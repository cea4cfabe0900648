import { join } from "node:path";
import { type Command, Option } from "commander";
import { callable, commandList } from "../contract/command-call.ts";
import { requireWritable } from "../contract/files.ts";
import { isoMicros } from "../contract/time.ts";
import {
  findScenario,
  type Scenario,
  scenarioNames,
} from "../generator/behaviour/scenario/scenario.ts";
import { formatNumber, terminalWidth, wrapText } from "../terminal/format.ts";
import { printLine } from "../terminal/print.ts";
import { commandOn } from "../warehouse/database/command.ts";
import { refuseSettings, scenarioConfig } from "../warehouse/demo/config.ts";
import { stateRoot } from "../warehouse/engine/workspace.ts";
import { runHistory } from "./demo.ts";
import { nonEmpty } from "./options.ts";

interface ScenarioOptions {
  readonly database?: string;
  readonly report?: string;
  readonly answers?: true;
}

/** Returns the workspace and the report of a scenario, which no other command writes. */
export const placesOf = (name: string) => ({
  database: join(stateRoot(), `scenario-${name}`),
  report: `report-scenario-${name}.html`,
});

export function registerScenario(program: Command): void {
  program
    .command("scenario")
    .argument("[name]", "name of the scenario; none lists them", nonEmpty)
    .description("Run a scenario with a planted incident in a workspace, or list the scenarios")
    .addOption(
      new Option(
        "--database <dir>",
        "data directory; an earlier run in it is replaced; default: .state/scenario-NAME",
      ).argParser(nonEmpty),
    )
    .option("--report <file>", "file of the report; default: report-scenario-NAME.html")
    .option("--answers", "print what a good analyst notices, and run nothing")
    .action((name: string | undefined, options: ScenarioOptions) => {
      if (name === undefined) return list();
      const scenario = findScenario(name);
      return options.answers ? printLine(answersOf(scenario)) : run(scenario, options);
    });
}

function list(): void {
  const scenarios = scenarioNames().map(findScenario);
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  for (const { name, about } of scenarios) {
    const lines = wrapText(about, Math.min(terminalWidth(), 120) - width - 4);
    const indent = `\n${" ".repeat(width + 4)}`;
    printLine(`  ${name.padEnd(width)}  ${lines.map((line) => line.trimEnd()).join(indent)}`);
  }
  printLine(callable("\nRun one: pipeline scenario checkout-bug"));
}

async function run(scenario: Scenario, options: ScenarioOptions): Promise<void> {
  const { name, title, about, days, rate, seed } = scenario;
  refuseSettings("scenario");
  const own = placesOf(name);
  const { database = own.database, report = own.report } = options;
  const config = scenarioConfig(name);
  requireWritable(report, `--report ${report}`);
  printLine(
    `${title}: ${about}\n${formatNumber(days, "model day")} from ${isoMicros(config.t0)}, ${formatNumber(rate, "page event")} per minute, seed ${seed}`,
  );
  const command = `scenario ${name}`;
  const again =
    database === own.database ? `pipeline ${command}` : commandOn({ directory: database }, command);
  const next = () => scenarioHints(scenario);
  await runHistory(config, { database, report, command, again, next });
}

/** The text after a run, without the answer. */
export const scenarioHints = ({ name }: Scenario): string =>
  callable(
    `
Look for it:
${commandList([["pipeline serve", "SQL console in the browser"]])}
  pipeline query "SELECT * FROM dm.v_daily_activity ORDER BY event_date"

When you have an answer:
${commandList([
  [`pipeline scenario ${name} --answers`, "what a good analyst notices, with statements"],
  ["pipeline truth", "known values beside estimates from the marts"],
])}`,
  );

const answersOf = ({ title, notice, queries }: Scenario): string =>
  callable(
    `${title}: what a good analyst notices\n${notice.map((line) => `  - ${line}`).join("\n")}\n\nStatements that show it:\n${queries.map((query) => `  pipeline query "${query}"`).join("\n")}`,
  );
