import * as pulumi from "@pulumi/pulumi";
import type { EventPipelineArgs } from "./event-pipeline.ts";
import { readOverrides } from "./generator/overrides.ts";
import { type ConfigValue, readProjectConfig } from "./project-config.ts";
import { PROJECT } from "./shared/names.ts";
import { withProgramErrors } from "./shared/program-error.ts";

/** Reads Pulumi's configuration and the variables of the shell. @throws RunError for what they may not have */
export const readInputs = (): EventPipelineArgs =>
  withProgramErrors(() => {
    const values = projectValues();
    const { settings, secrets } = readProjectConfig(values);
    return {
      ...settings,
      overrides: readOverrides(process.env),
      secrets: Object.fromEntries(
        [...secrets].map((name) => [name, pulumi.secret(values.get(name)?.text ?? "")]),
      ),
    };
  });

/** Calls a function of the SDK that the SDK's types omit. */
const isEncrypted = (key: string): boolean =>
  (pulumi.runtime as unknown as { isConfigSecret(key: string): boolean }).isConfigSecret(key);

/** Returns all values of the project, so that unknown keys are refused. */
function projectValues(): Map<string, ConfigValue> {
  const prefix = `${PROJECT}:`;
  return new Map(
    Object.entries(pulumi.runtime.allConfig())
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, text]) => [key.slice(prefix.length), { text, isEncrypted: isEncrypted(key) }]),
  );
}
