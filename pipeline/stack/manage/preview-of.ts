import { UserError } from "../../../contract/errors.ts";
import { errorsOf, type Preview, parsePreview } from "../preview.ts";
import { rememberChoices } from "./choices.ts";
import { type InitOptions, init } from "./init.ts";
import { configFile, pulumi } from "./pulumi.ts";
import { readRecorded } from "./recorded.ts";
import { unrecorded } from "./unrecorded.ts";

/** Arguments that name a stack and its configuration. */
export const target = (stack: string): string[] => [
  ...["--stack", stack],
  ...["--config-file", configFile(stack)],
];

/** What `up` with these options would do; they hold for this preview alone. */
export async function previewWith(stack: string, options: InitOptions): Promise<Preview> {
  const undo = rememberChoices(stack);
  try {
    await init(stack, options);
    // What another checkout has made has the names that this one's would need, data included.
    await unrecorded(stack, await readRecorded(stack));
    return await previewOf(stack);
  } finally {
    undo();
  }
}

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
  throw new UserError(
    errors.length > 0 ? errors.join("\n") : (stderr || stdout).trim(),
    `correct it, then make preview STACK=${stack}`,
  );
}

function tryParse(text: string): Preview | undefined {
  try {
    return parsePreview(text);
  } catch {
    return undefined;
  }
}
