import type { Command } from "commander";
import { isMissingPart } from "../terminal/missing-part.ts";

type Register = (program: Command) => void;
type Load = () => Promise<Register>;

interface CommandModule {
  readonly names: readonly string[];
  readonly load: Load;
}

/** In the order of the help. Only the called one loads: others would slow every Airflow task. */
export const commandModules: readonly CommandModule[] = [
  { names: ["demo"], load: async () => (await import("./demo.ts")).registerDemo },
  { names: ["ddl"], load: async () => (await import("./schema.ts")).registerSchema },
  { names: ["data", "dataset"], load: async () => (await import("./data.ts")).registerData },
  { names: ["import"], load: async () => (await import("./import.ts")).registerImport },
  {
    names: ["transform", "step", "plan"],
    load: async () => (await import("./batch.ts")).registerBatch,
  },
  { names: ["prove"], load: async () => (await import("./prove.ts")).registerProve },
  { names: ["query"], load: async () => (await import("./query.ts")).registerQuery },
  { names: ["follow"], load: async () => (await import("./follow.ts")).registerFollow },
  {
    names: ["history-analytics", "history-check", "history-runtime-check"],
    load: async () => (await import("./history.ts")).registerHistory,
  },
  { names: ["serve"], load: async () => (await import("./serve.ts")).registerServe },
  { names: ["bi-init"], load: async () => (await import("./bi-init.ts")).registerBiInit },
  { names: ["stored"], load: async () => (await import("./stored.ts")).registerStored },
  { names: ["dag"], load: async () => (await import("./dag.ts")).registerDag },
  { names: ["topics"], load: async () => (await import("./topics.ts")).registerTopics },
  { names: ["generator"], load: async () => (await import("./generator.ts")).registerGenerator },
  {
    names: ["monitoring"],
    load: async () => (await import("./monitoring.ts")).registerMonitoring,
  },
  { names: ["doctor"], load: async () => (await import("./doctor.ts")).registerDoctor },
  {
    names: ["stack", "reload-database"],
    load: async () => (await import("./stack.ts")).registerStack,
  },
  {
    names: ["preview-report"],
    load: async () => (await import("./preview-report.ts")).registerPreviewReport,
  },
];

/** The module of a command; all modules for any other name, as for `--help`. */
export function modulesFor(name: string | undefined, modules: readonly CommandModule[]): Load[] {
  const own = modules.filter((module) => name !== undefined && module.names.includes(name));
  return own.length > 0 ? own.map((module) => module.load) : modules.map(loadIfThere);
}

/** One that the image does not contain becomes a line of the help. */
const loadIfThere =
  ({ names, load }: CommandModule): Load =>
  () =>
    load().catch((error: unknown) => {
      if (!isMissingPart(error)) throw error;
      return (program) =>
        program.addHelpText("after", `Not part of this installation: ${names.join(", ")}`);
    });
