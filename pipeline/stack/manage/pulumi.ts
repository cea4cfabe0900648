import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { UserError } from "../../../contract/errors.ts";
import { ROOT, stackFolder, stateFolder } from "../state.ts";
import { execute, type Outcome } from "./process.ts";

const BIN = join(ROOT, "node_modules/.bin");

/** Settings of a stack made by `make init`; its own folder, so that no tracked file changes. */
export const projectFolder = (stack: string): string => join(stackFolder(stack), "project");
export const configFile = (stack: string): string =>
  join(projectFolder(stack), `Pulumi.${stack}.yaml`);
export const passphraseFile = (stack: string): string => join(stackFolder(stack), "passphrase");
export const backendFolder = (): string => join(stateFolder(), "backend");

/** A local backend and a passphrase of its own, unless the caller's environment names others. */
function environment(stack: string): NodeJS.ProcessEnv {
  const backend = process.env.PULUMI_BACKEND_URL ?? `file://${backendFolder()}`;
  const hasPassphrase =
    process.env.PULUMI_CONFIG_PASSPHRASE !== undefined ||
    process.env.PULUMI_CONFIG_PASSPHRASE_FILE !== undefined;
  return {
    ...process.env,
    PATH: [BIN, process.env.PATH].join(delimiter),
    PULUMI_BACKEND_URL: backend,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...(hasPassphrase ? {} : { PULUMI_CONFIG_PASSPHRASE_FILE: passphraseFile(stack) }),
  };
}

/** Runs the Pulumi command line of this project on a stack. */
export function pulumi(
  stack: string,
  args: readonly string[],
  output: "show" | "capture",
): Promise<Outcome> {
  const program = join(BIN, "pulumi");
  if (!existsSync(program)) {
    throw new UserError("The Pulumi command line is not installed.", "npm ci");
  }
  // Where a person looks on, Pulumi draws its progress.
  const quiet = output === "capture" || !process.stdout.isTTY ? ["--non-interactive"] : [];
  return execute(program, [...args, ...quiet], { env: environment(stack), output });
}

/** @throws UserError with what Pulumi said where it fails */
export async function pulumiText(stack: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await pulumi(stack, args, "capture");
  if (code === 0) return stdout;
  throw new UserError(`pulumi ${args.join(" ")} failed:\n${(stderr || stdout).trim()}`);
}
