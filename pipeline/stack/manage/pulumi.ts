import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { z } from "zod";
import { UserError } from "../../../contract/errors.ts";
import { PROJECT } from "../names.ts";
import { ROOT, stackFolder, stateFolder } from "../state.ts";
import { execute, type Outcome } from "./process.ts";
import { pulumiProgram } from "./pulumi-program.ts";

const BIN = join(ROOT, "node_modules/.bin");

/** Settings of a stack made by `make init`; its own folder, so that no tracked file changes. */
export const projectFolder = (stack: string): string => join(stackFolder(stack), "project");
export const configFile = (stack: string): string =>
  join(projectFolder(stack), `Pulumi.${stack}.yaml`);
export const passphraseFile = (stack: string): string => join(stackFolder(stack), "passphrase");
export const backendFolder = (): string => join(stateFolder(), "backend");

/** A local backend and a passphrase of its own, unless the caller's environment names others. */
function environment(stack: string, program: string): NodeJS.ProcessEnv {
  const backend = process.env.PULUMI_BACKEND_URL ?? `file://${backendFolder()}`;
  const hasPassphrase =
    process.env.PULUMI_CONFIG_PASSPHRASE !== undefined ||
    process.env.PULUMI_CONFIG_PASSPHRASE_FILE !== undefined;
  return {
    ...process.env,
    // What Pulumi calls lies beside it; Node is the one the project pins.
    PATH: [BIN, dirname(program), process.env.PATH].join(delimiter),
    PULUMI_BACKEND_URL: backend,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // The program is loaded anew for every preview and every up: its code is compiled once.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(stateFolder(), "compile-cache"),
    // Pulumi and its providers live for seconds: collecting less often leaves a core to the services.
    GOGC: process.env.GOGC ?? "400",
    // Most of its steps only wait, for a container's health or a command: four to a core are too few.
    PULUMI_PARALLEL: process.env.PULUMI_PARALLEL ?? "32",
    ...(hasPassphrase ? {} : { PULUMI_CONFIG_PASSPHRASE_FILE: passphraseFile(stack) }),
  };
}

/** Runs the Pulumi command line of this project on a stack. */
export async function pulumi(
  stack: string,
  args: readonly string[],
  output: "show" | "capture",
): Promise<Outcome> {
  const program = await pulumiProgram();
  // Where a person looks on, Pulumi draws its progress.
  const quiet = output === "capture" || !process.stdout.isTTY ? ["--non-interactive"] : [];
  return execute(program, [...args, ...quiet], { env: environment(stack, program), output });
}

/** What Pulumi writes of a stack into our own backend. */
export const checkpointFile = (stack: string): string =>
  join(backendFolder(), ".pulumi/stacks", PROJECT, `${stack}.json`);

const stackListSchema = z.array(z.looseObject({ name: z.string() }));

/**
 * True if the backend holds a stack of this name; another backend than our own is asked.
 * @throws UserError where that backend does not answer
 */
export async function isRecorded(stack: string): Promise<boolean> {
  if (process.env.PULUMI_BACKEND_URL === undefined) {
    return existsSync(checkpointFile(stack));
  }
  const list = await pulumiText(stack, "stack", "ls", "--json", "--cwd", projectFolder(stack));
  // A service puts the organisation before the name.
  return stackListSchema
    .parse(JSON.parse(list))
    .some(({ name }) => name.split("/").at(-1) === stack);
}

/** @throws UserError with what Pulumi said where it fails */
export async function pulumiText(stack: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await pulumi(stack, args, "capture");
  if (code === 0) return stdout;
  throw new UserError(
    `pulumi ${args.join(" ")} failed:\n${(stderr || stdout).trim()}`,
    `make doctor STACK=${stack}`,
  );
}
