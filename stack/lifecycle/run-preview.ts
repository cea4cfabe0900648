import { type Settings, validConfig } from "./init.ts";
import { runOperation } from "./run.ts";
import { openStack, requireStack } from "./workspace.ts";

/** Previews `up` with these settings. @returns Pulumi's text @throws UserError if the program refuses them */
export async function previewWith(name: string, settings: Settings): Promise<string> {
  await requireStack(name);
  const stack = await openStack(name, validConfig(name, settings));
  const failure = {
    message: "The preview failed",
    hint: `correct the configuration, then run make preview STACK=${name}`,
  };
  const { stdout } = await runOperation(failure, ({ signal, color, onEvent }) =>
    stack.preview({ signal, color, onEvent, diff: true }),
  );
  return stdout;
}
