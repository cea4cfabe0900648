import { UserError } from "../../../contract/errors.ts";
import { requireReady } from "../doctor/doctor.ts";
import { refuseLoss } from "../guard.ts";
import { errorsOf, type Preview, parsePreview } from "../preview.ts";
import { type InitOptions, init } from "./init.ts";
import { configFile, pulumi } from "./pulumi.ts";
import { recover } from "./recover.ts";
import { unhealthyLogs } from "./unhealthy.ts";

export interface UpOptions extends InitOptions {
  /** Resources to make anew though nothing about them has changed, as Pulumi's wildcards. */
  readonly replace?: string | undefined;
}

/**
 * Brings the stack to what its configuration says, from any state, and waits until every service
 * is healthy. Refuses a change that would delete data.
 */
export async function up(stack: string, { replace, ...options }: UpOptions = {}): Promise<void> {
  await init(stack, options);
  await requireReady(stack);
  await recover(stack);
  refuseLoss(await previewOf(stack), stack);
  const again = replace ? ["--replace", replace] : [];
  const run = [...target(stack), "--yes", "--skip-preview", "--refresh", ...again];
  const { code } = await pulumi(stack, ["up", ...run], "show");
  if (code !== 0) {
    const logs = await unhealthyLogs(stack);
    throw new UserError(
      `The stack is not up: Pulumi's messages above say what failed.${logs && `\n${logs}`}`,
      `make doctor STACK=${stack}, then make up STACK=${stack} once more`,
    );
  }
}

const target = (stack: string): string[] => [
  ...["--stack", stack],
  ...["--config-file", configFile(stack)],
];

/** @throws UserError with the program's own message where it refuses its configuration */
export async function previewOf(stack: string): Promise<Preview> {
  const { code, stdout, stderr } = await pulumi(
    stack,
    // Unchanged resources as well: what is published and allotted is a sum over all.
    ["preview", ...target(stack), "--json", "--show-sames"],
    "capture",
  );
  const preview = tryParse(stdout);
  if (code === 0 && preview) return preview;
  const errors = preview ? errorsOf(preview) : [];
  throw new UserError(errors.length > 0 ? errors.join("\n") : (stderr || stdout).trim());
}

function tryParse(text: string): Preview | undefined {
  try {
    return parsePreview(text);
  } catch {
    return undefined;
  }
}
