import { type ConfigFile, type ConfigVolumeSpec, configVolume, type VolumeMount } from "../spec.ts";
import type { PlanContext } from "./context.ts";
import { secretDigest } from "./secret-digest.ts";

/** Where a service finds its secrets; its processes read files, its environment names them. */
export const SECRETS = "/run/event-pipeline";

/** How the secrets of a service reach it. */
export interface SecretFiles {
  readonly config: ConfigVolumeSpec;
  readonly mount: VolumeMount;
  /** Another secret needs another start: services read theirs only then. */
  readonly startDigest: string;
}

/** The volume of a service's secrets, a file each by name; `alias` is the service's own. */
export function secretFiles(
  context: PlanContext,
  alias: string,
  contents: Readonly<Record<string, string>>,
): SecretFiles {
  const files = Object.entries(contents).map(
    ([path, content]): ConfigFile => ({ path, content, secret: true }),
  );
  const config = configVolume("secrets", context.names.volume(`${alias}-secrets`), files);
  return {
    config,
    mount: { volume: config.volume, path: SECRETS, readOnly: true },
    startDigest: secretDigest(context, files.map(({ content }) => content).join("\n")),
  };
}
