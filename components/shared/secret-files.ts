import type { PlanContext } from "./context.ts";
import { renderText, type SecretText, secretText } from "./secret-text.ts";
import { type ConfigFile, type ConfigVolumeSpec, configVolume, type VolumeMount } from "./spec.ts";

/** Where a service finds its secrets; its processes read files, its environment names them. */
export const SECRETS = "/run/event-pipeline";

/** Role of the volume that holds them. */
export const SECRETS_ROLE = "secrets";

/** How the secrets of a service reach it. */
export interface SecretFiles {
  readonly config: ConfigVolumeSpec;
  readonly mount: VolumeMount;
  /** Services read their secrets only at their start. */
  readonly startText: SecretText;
}

/** The volume of a service's secrets, a file each by name; `alias` is the service's own. */
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
