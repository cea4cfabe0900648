import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, stateFolder } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";
import { writePrivate } from "../../contract/files.ts";
import { execute, type Outcome } from "../../terminal/process.ts";
import { pulumiProgram } from "./pulumi-program.ts";

type Variables = Readonly<Record<string, string>>;

/** Runs a Pulumi command. @returns its output @throws UserError with Pulumi's error */
export async function askPulumi(args: readonly string[], env: Variables = {}): Promise<string> {
  const { code, stdout, stderr } = await run([...args, "--non-interactive"], env, "capture");
  if (code === 0) return stdout;
  throw new UserError(
    `Pulumi refused a command: ${stderr.slice(Math.max(stderr.search(/^error: /m), 0)).trim()}`,
    /passphrase/i.test(stderr) ? PASSPHRASE_HINT : BACKEND_HINT,
  );
}

const PASSPHRASE_HINT =
  "for a stack that make created, unset PULUMI_CONFIG_PASSPHRASE, or run export PULUMI_CONFIG_PASSPHRASE_FILE=.state/passphrase for plain pulumi; for another stack, set the passphrase that it was created with; make doctor checks the encryptionsalt in the stack's file";
const BACKEND_HINT =
  "check PULUMI_BACKEND_URL, or the backend that pulumi whoami --verbose prints, then retry";

/** Runs a Pulumi command in this terminal, where it prints progress and errors. @throws UserError */
export async function showPulumi(
  args: readonly string[],
  env: Variables,
  failure: { readonly message: string; readonly hint: string },
): Promise<void> {
  const { code } = await run(args, env, "show");
  if (code !== 0) throw new UserError(failure.message, failure.hint);
}

async function run(
  args: readonly string[],
  env: Variables,
  output: "capture" | "show",
): Promise<Outcome> {
  const program = await pulumiProgram();
  const folders = [join(ROOT, "node_modules/.bin"), dirname(program), process.env.PATH];
  return execute(program, args, {
    output,
    env: {
      ...process.env,
      PATH: folders.join(delimiter),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      ...backend(),
      ...passphrase(),
      ...env,
    },
  });
}

/**
 * Returns no variable for the backend of Pulumi.yaml: for the same folder with another address
 * Pulumi would keep another selection.
 */
function backend(): Variables {
  const { PULUMI_BACKEND_URL: url, EVENT_PIPELINE_STATE: state } = process.env;
  if (url || !state) return {};
  const folder = pathToFileURL(join(stateFolder(), "backend")).href;
  return { PULUMI_BACKEND_URL: `${folder}?create_dir=true` };
}

/** Returns the variable of a generated passphrase, unless the user has one of their own. */
function passphrase(): Variables {
  const { PULUMI_CONFIG_PASSPHRASE: text, PULUMI_CONFIG_PASSPHRASE_FILE: given } = process.env;
  const file = join(stateFolder(), "passphrase");
  if (text !== undefined || (given && resolve(ROOT, given) !== file)) return {};
  if (!existsSync(file)) writePrivate(file, randomBytes(24).toString("base64url"));
  return { PULUMI_CONFIG_PASSPHRASE_FILE: file };
}
