import type { PlanContext } from "./context.ts";
import { renderText, type SecretText, secretText } from "./secret-text.ts";
import { type ConfigFile, type ConfigVolumeSpec, configVolume, type VolumeMount } from "./spec.ts";

/** Folder of a service's secrets: processes read files, whose names are in the environment. */
export const SECRETS = "/run/event-pipeline";

export const SECRETS_ROLE = "secrets";

export interface SecretFiles {
  readonly config: ConfigVolumeSpec;
  readonly mount: VolumeMount;
  /** Services read their secrets only at their start. */
  readonly startText: SecretText;
}

/**
 * Volume with one file per secret of a service.
 * @param alias of the service
 */
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
