import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { offlineImages } from "../../images/offline/names.ts";

const ROOT = join(import.meta.dirname, "../..");
const PLUGINS = ["docker", "command", "random"] as const;

/** Lists missing requirements of the stack level; empty if it can run. */
export function missingNeeds(): string[] {
  const docker = spawnSync("docker", ["version", "--format", "{{.Server.Version}}"]);
  if (docker.status !== 0) return ["a Docker engine that answers", ...pulumiNeeds()];
  return [...imageNeeds(), ...pulumiNeeds()];
}

/** The level pulls no image; its configurations use the images of config/offline.yaml. */
const imageNeeds = (): string[] =>
  Object.values(offlineImages)
    .filter((image) => spawnSync("docker", ["image", "inspect", image]).status !== 0)
    .map((image) => `the image ${image} (make offline-images)`);

function pulumiNeeds(): string[] {
  const home = process.env.PULUMI_HOME ?? join(homedir(), ".pulumi");
  const version = process.env.PULUMI_VERSION ?? packageVersion();
  const missing: string[] = [];
  if (!existsSync(join(home, "versions", version, "bin/pulumi"))) {
    missing.push(`the Pulumi command line ${version} (npx pulumi version fetches it)`);
  }
  for (const name of PLUGINS) if (!hasPlugin(home, name)) missing.push(`the Pulumi plugin ${name}`);
  return missing;
}

const packageVersion = (): string =>
  JSON.parse(readFileSync(join(ROOT, "node_modules/pulumi/package.json"), "utf8")).version;

const hasPlugin = (home: string, name: string): boolean =>
  spawnSync("sh", ["-c", `ls -d "${home}"/plugins/resource-${name}-v*`]).status === 0 ||
  spawnSync("sh", ["-c", `command -v pulumi-resource-${name}`]).status === 0;
