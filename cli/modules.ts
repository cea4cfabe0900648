import type { Command } from "commander";
import { isMissingPart } from "../terminal/failure.ts";

type Register = (program: Command) => void;
type Load = () => Promise<Register>;

/** Groups of the help, as in `make help`. */
type Group = "Start" | "Stack" | "Data" | "Monitoring";

interface CommandModule {
  readonly group: Group;
  readonly names: readonly string[];
  readonly load: Load;
}

const module = (group: Group, names: readonly string[], load: Load): CommandModule => ({
  group,
  names,
  load,
});

/** Modules in the order of the help. Only the called module loads, to keep Airflow tasks short. */
export const commandModules: readonly CommandModule[] = [
  module("Start", ["demo"], async () => (await import("./demo.ts")).registerDemo),
  module("Start", ["scenario"], async () => (await import("./scenario.ts")).registerScenario),
  module("Start", ["serve"], async () => (await import("./serve.ts")).registerServe),
  module("Start", ["lab"], async () => (await import("./lab.ts")).registerLab),
  module("Start", ["doctor"], async () => (await import("./doctor.ts")).registerDoctor),
  module(
    "Stack",
    ["stack", "reload-database"],
    async () => (await import("./stack.ts")).registerStack,
  ),
  module("Stack", ["bi-init"], async () => (await import("./bi-init.ts")).registerBiInit),
  module("Stack", ["dag"], async () => (await import("./dag.ts")).registerDag),
  module("Stack", ["topics"], async () => (await import("./topics.ts")).registerTopics),
  module("Stack", ["generator"], async () => (await import("./generator.ts")).registerGenerator),
  module("Data", ["ddl"], async () => (await import("./schema.ts")).registerSchema),
  module("Data", ["ingest"], async () => (await import("./ingest.ts")).registerIngest),
  module("Data", ["data", "dataset"], async () => (await import("./data.ts")).registerData),
  module("Data", ["import"], async () => (await import("./import.ts")).registerImport),
  module(
    "Data",
    ["transform", "step", "plan"],
    async () => (await import("./batch.ts")).registerBatch,
  ),
  module("Data", ["prove"], async () => (await import("./prove.ts")).registerProve),
  module("Data", ["test"], async () => (await import("./data-tests.ts")).registerDataTests),
  module("Data", ["query"], async () => (await import("./query.ts")).registerQuery),
  module("Data", ["truth"], async () => (await import("./truth.ts")).registerTruth),
  module("Data", ["follow"], async () => (await import("./follow.ts")).registerFollow),
  module(
    "Data",
    ["history-analytics", "history-check", "history-runtime-check"],
    async () => (await import("./history.ts")).registerHistory,
  ),
  module("Data", ["stored"], async () => (await import("./wait-for-stg.ts")).registerWaitForStg),
  module(
    "Monitoring",
    ["monitoring"],
    async () => (await import("./monitoring.ts")).registerMonitoring,
  ),
];

/** Heading of a command in the help. */
export const groupOf = (command: string): string =>
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
