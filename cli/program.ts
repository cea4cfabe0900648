import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { callable } from "../contract/command-call.ts";
import { isMissingPart } from "../terminal/failure.ts";

export async function createProgram(command: string): Promise<Command> {
  const program = new Command("pipeline")
    .description("Operate the event pipeline: schema, data, batch process, reconciliation, demo.")
    .version(versionOf(), "-V, --version", "print the version")
    .helpCommand(false)
    .configureHelp({ sortSubcommands: false });
  program.hook("preAction", (_, called) => {
    if (called.getOptionValueSource("database") === "default") {
      called.setOptionValue("isUnnamed", true);
    }
  });
  for (const load of modulesFor(command, commandModules)) (await load())(program);
  for (const one of program.commands) {
    one.helpGroup(`${groupOf(one.name())}:`);
    addExamples(one, one.name());
  }
  hintAtHelp(program, "pipeline");
  return program;
}

function addExamples(command: Command, path: string): void {
  const example = EXAMPLES[path];
  if (example) command.addHelpText("after", callable(`\nExample: pipeline ${example}`));
  for (const one of command.commands) addExamples(one, `${path} ${one.name()}`);
}

/** Gives errors of arguments the shape of all other errors. */
function hintAtHelp(command: Command, path: string): void {
  command.showHelpAfterError(callable(`  hint: run ${path} --help`));
  for (const one of command.commands) hintAtHelp(one, `${path} ${one.name()}`);
}

/** Returns the version; an image has no package.json. */
function versionOf(): string {
  try {
    const text = readFileSync(join(import.meta.dirname, "../package.json"), "utf8");
    return (JSON.parse(text) as { version?: string }).version ?? "unknown";
  } catch {
    return "unknown";
  }
}

type Register = (program: Command) => void;
type Load = () => Promise<Register>;

/** Groups of the help, in its order. */
const GROUPS = ["Start", "Stack", "Data", "Monitoring"] as const;
type Group = (typeof GROUPS)[number];

/** A module, and the commands that it registers. */
interface Registration {
  readonly names: readonly [string, ...string[]];
  readonly load: Load;
}

interface CommandModule extends Registration {
  readonly group: Group;
}

/** Modules of each group in the order of the help. */
const MODULES: Readonly<Record<Group, readonly Registration[]>> = {
  Start: [
    { names: ["demo"], load: async () => (await import("./demo.ts")).registerDemo },
    { names: ["scenario"], load: async () => (await import("./scenario.ts")).registerScenario },
    { names: ["collect"], load: async () => (await import("./collect.ts")).registerCollect },
    { names: ["serve"], load: async () => (await import("./serve.ts")).registerServe },
    { names: ["lab"], load: async () => (await import("./lab.ts")).registerLab },
    { names: ["doctor"], load: async () => (await import("./doctor.ts")).registerDoctor },
  ],
  Stack: [
    { names: ["stack"], load: async () => (await import("./stack.ts")).registerStack },
    { names: ["bi-init"], load: async () => (await import("./bi-init.ts")).registerBiInit },
    { names: ["dag"], load: async () => (await import("./dag.ts")).registerDag },
    { names: ["topics"], load: async () => (await import("./topics.ts")).registerTopics },
    { names: ["generator"], load: async () => (await import("./generator.ts")).registerGenerator },
  ],
  Data: [
    { names: ["ddl"], load: async () => (await import("./ddl.ts")).registerDdl },
    { names: ["ingest"], load: async () => (await import("./ingest.ts")).registerIngest },
    { names: ["data"], load: async () => (await import("./data.ts")).registerData },
    { names: ["dataset"], load: async () => (await import("./dataset.ts")).registerDataset },
    { names: ["import"], load: async () => (await import("./import.ts")).registerImport },
    {
      names: ["transform", "step", "plan"],
      load: async () => (await import("./transform.ts")).registerTransform,
    },
    { names: ["prove"], load: async () => (await import("./prove.ts")).registerProve },
    { names: ["report"], load: async () => (await import("./report.ts")).registerReport },
    { names: ["test"], load: async () => (await import("./test.ts")).registerTest },
    { names: ["query"], load: async () => (await import("./query.ts")).registerQuery },
    { names: ["export"], load: async () => (await import("./export.ts")).registerExport },
    { names: ["truth"], load: async () => (await import("./truth.ts")).registerTruth },
    { names: ["follow"], load: async () => (await import("./follow.ts")).registerFollow },
    {
      names: ["history-analytics", "history-check", "history-runtime-check"],
      load: async () => (await import("./history.ts")).registerHistory,
    },
    {
      names: ["workspaces"],
      load: async () => (await import("./workspaces.ts")).registerWorkspaces,
    },
    {
      names: ["snapshot", "restore", "snapshots"],
      load: async () => (await import("./snapshots.ts")).registerSnapshots,
    },
    { names: ["erase"], load: async () => (await import("./erase.ts")).registerErase },
    { names: ["retain"], load: async () => (await import("./retain.ts")).registerRetain },
    { names: ["rejected"], load: async () => (await import("./rejected.ts")).registerRejected },
    { names: ["stored"], load: async () => (await import("./stored.ts")).registerStored },
  ],
  Monitoring: [
    {
      names: ["monitoring"],
      load: async () => (await import("./monitoring.ts")).registerMonitoring,
    },
  ],
};

/** Only the called module loads, to keep Airflow tasks short. */
export const commandModules: readonly CommandModule[] = GROUPS.flatMap((group) =>
  MODULES[group].map((module) => ({ group, ...module })),
);

/** Heading of a command in the help. */
const groupOf = (command: string): string =>
  commandModules.find(({ names }) => names.includes(command))?.group ?? "";

/** Returns the module of a command; all modules for any other name, such as `--help`. */
export function modulesFor(
  name: string | undefined,
  modules: readonly Pick<CommandModule, "names" | "load">[],
): Load[] {
  const own = modules.filter((module) => name !== undefined && module.names.includes(name));
  return own.length > 0 ? own.map((module) => module.load) : modules.map(loadIfThere);
}

/** Loads a module; a module that the image lacks becomes a line of the help. */
const loadIfThere =
  ({ names, load }: Pick<CommandModule, "names" | "load">): Load =>
  () =>
    load().catch((error: unknown) => {
      if (!isMissingPart(error)) throw error;
      return (program) =>
        program.addHelpText("after", `Not part of this installation: ${names.join(", ")}`);
    });

/** Example of each command and subcommand, without the leading `pipeline`. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  demo: "demo --days 1 --rate 60",
  scenario: "scenario checkout-bug",
  ddl: "ddl --verify",
  data: "data --dataset my-data --limit 1000",
  dataset: "dataset check my-data",
  "dataset check": "dataset check my-data --strict",
  import: "import events.csv --select my.sql --load",
  transform: "transform --no-full-refresh",
  step: "step load_ods",
  plan: "plan --json",
  prove: "prove --deep",
  report: "report --database .state/import",
  test: "test --show",
  query: 'query "SELECT * FROM dm.v_funnel" --format CSVWithNames',
  export: "export dm.session dm.event_enriched --to parquet",
  truth: "truth --format CSVWithNames",
  follow: "follow --database .state/demo",
  "history-analytics": "history-analytics --json",
  "history-check": "history-check --json",
  "history-runtime-check": "history-runtime-check --live-seconds 60",
  workspaces: "workspaces",
  "workspaces use": "workspaces use demo",
  "workspaces delete": "workspaces delete labs labs-other --yes",
  snapshot: "snapshot before-import",
  erase: "erase VISITOR --request 2026-17",
  retain: "retain --ods 90 --marts 730 --dry-run",
  restore: "restore before-import",
  snapshots: "snapshots",
  "snapshots delete": "snapshots delete before-import",
  rejected: "rejected",
  "rejected replay": "rejected replay --select repair.sql --dry-run",
  serve: "serve --port 9200",
  collect: "collect --origin https://shop.example",
  "bi-init": "bi-init --database http://localhost:9123 --superset http://localhost:8088",
  stored: "stored --database http://localhost:9123 --bootstrap localhost:9092",
  dag: "dag run etl_pipeline --param full_refresh=false --wait",
  "dag list": "dag list --url http://127.0.0.1:8080",
  "dag run": "dag run etl_pipeline --param full_refresh=false --wait",
  "dag follow": "dag follow etl_pipeline manual__2026-01-08T00:00:00+00:00",
  "dag pause": "dag pause etl_pipeline",
  "dag unpause": "dag unpause etl_pipeline",
  ingest: "ingest --database http://localhost:9123 --bootstrap localhost:9092",
  topics: "topics --verify --bootstrap localhost:9092",
  generator: "generator status --wait 60",
  "generator status": "generator status --wait 60",
  "generator manifest": "generator manifest --json",
  "generator report": "generator report --database http://localhost:9123",
  "generator pause": "generator pause",
  "generator resume": "generator resume --wait 60",
  "generator live": "generator live --wait 60",
  "generator continue": "generator continue --wait 60",
  "generator backfill": "generator backfill --t-end now-1h --wait 600",
  "generator import": "generator import --dataset /data/my-data --wait 600",
  "generator clean-start": "generator clean-start --yes --t-end now --wait 600",
  "generator check-settings": "generator check-settings",
  "generator dry-run": "generator dry-run backfill --t-end now-1h",
  monitoring: "monitoring check --wait 60",
  "monitoring reload": "monitoring reload --only dashboards",
  "monitoring folder": "monitoring folder",
  "monitoring check": "monitoring check --wait 60",
  "monitoring ask": "monitoring ask",
  "monitoring drill": "monitoring drill BrokerDown",
  lab: "lab start 1",
  "lab list": "lab list",
  "lab start": "lab start 1",
  "lab hint": "lab hint 1 --hint 2",
  "lab check": "lab check 1 answer.sql",
  doctor: "doctor --stack dev",
  stack: "stack ps",
  "stack init": "stack init --stack home --config long-lived --offset 1000",
  "stack up": "stack up --mode bare",
  "stack preview": "stack preview --stack dev",
  "stack down": "stack down --stack dev",
  "stack clean": "stack clean --stack second",
  "stack rotate-superset-key": "stack rotate-superset-key --stack dev",
  "stack generator": "stack generator off",
  "stack urls": "stack urls --stack dev",
  "stack secrets": "stack secrets --json",
  "stack ps": "stack ps --stack dev",
  "stack logs": "stack logs generator",
  "stack recover-monitoring": "stack recover-monitoring --stack dev",
  "stack reset-dashboards": "stack reset-dashboards --stack dev",
  "stack run": "stack run -- prove --deep",
};
