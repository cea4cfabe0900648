import type { Placement } from "./placement.ts";
import { renderText, type SecretText, secretText } from "./secret-text.ts";
import { type ConfigFile, type ConfigVolumeSpec, configVolume } from "./spec.ts";

/** Mount path of the secret files; environment variables hold their paths. */
export const SECRETS = "/run/event-pipeline";

export const SECRETS_ROLE = "secrets";

export interface SecretFiles {
  readonly config: ConfigVolumeSpec;
  /** Text whose change replaces the container, because services read secrets only at their start. */
  readonly replaceTrigger: SecretText;
}

/** Plans a volume with one file per secret. @param alias of the service */
export function secretFiles(
  at: Placement,
  alias: string,
  contents: Readonly<Record<string, SecretText>>,
): SecretFiles {
  const files = Object.entries(contents).map(([path, content]): ConfigFile => ({ path, content }));
  const names = [...new Set(Object.values(contents).flatMap(({ from }) => from))];
  const config = configVolume(SECRETS_ROLE, at.names.volume(`${alias}-secrets`), SECRETS, files);
  return {
    config,
    replaceTrigger: secretText(names, (values) =>
      files.map(({ content }) => renderText(content, values)).join("\n"),
    ),
  };
}
