import type { PlanContext } from "./context.ts";
import { renderText, type SecretText, secretText } from "./secret-text.ts";
import { type ConfigFile, type ConfigVolumeSpec, configVolume, type VolumeMount } from "./spec.ts";

/** Processes read files, whose names are in the environment. */
export const SECRETS = "/run/event-pipeline";

export const SECRETS_ROLE = "secrets";

export interface SecretFiles {
  readonly config: ConfigVolumeSpec;
  readonly mount: VolumeMount;
  /** Services read secrets only at their start. */
  readonly startText: SecretText;
}

/** @param alias of the service */
export function secretFiles(
  context: PlanContext,
  alias: string,
  contents: Readonly<Record<string, SecretText>>,
): SecretFiles {
  const files = Object.entries(contents).map(([path, content]): ConfigFile => ({ path, content }));
  const names = [...new Set(Object.values(contents).flatMap(({ from }) => from))];
  const config = configVolume(SECRETS_ROLE, context.names.volume(`${alias}-secrets`), files);
  return {
    config,
    mount: { volume: config.volume, path: SECRETS, readOnly: true },
    startText: secretText(names, (values) =>
      files.map(({ content }) => renderText(content, values)).join("\n"),
    ),
  };
}
