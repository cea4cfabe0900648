import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ROOT } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";
import { openWorkspace } from "../lifecycle/workspace.ts";
import { type DoctorContext, type Finding, fail, ok, warn } from "./check.ts";

/** Package by provider plugin; both need the same version. */
const PACKAGES = {
  docker: "@pulumi/docker",
  command: "@pulumi/command",
  random: "@pulumi/random",
} as const;
const CONTENT = { grafana: "@pulumiverse/grafana" } as const;

export interface Plugin {
  readonly name: string;
  readonly version: string;
}

export async function toolFindings({ config }: DoctorContext): Promise<Finding[]> {
  try {
    const workspace = await openWorkspace();
    const listed = (await workspace.listPlugins()).map(({ name, version = "" }) => ({
      name,
      version,
    }));
    return [
      ok("pulumi", workspace.pulumiVersion),
      plugins(listed, neededPlugins(config.grafana !== undefined)),
    ];
  } catch (error) {
    const hint = error instanceof UserError ? error.hint : undefined;
    const detail = error instanceof Error ? error.message : String(error);
    return [fail("pulumi", detail, hint ?? "run npm ci")];
  }
}

export function neededPlugins(hasGrafana: boolean): Plugin[] {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const packages = { ...PACKAGES, ...(hasGrafana ? CONTENT : {}) };
  return Object.entries(packages).map(([name, of]) => ({ name, version: dependencies[of] }));
}

export function plugins(listed: readonly Plugin[], needed: readonly Plugin[]): Finding {
  const missing = needed.filter(
    ({ name, version }) => !listed.some((one) => one.name === name && one.version === version),
  );
  if (missing.length === 0) return ok("plugins", needed.map(textOf).join(", "));
  const others = (name: string) =>
    listed.filter((one) => one.name === name).map(({ version }) => version);
  const details = missing.map((one) => {
    const there = others(one.name);
    return there.length === 0 ? textOf(one) : `${textOf(one)} (installed: ${there.join(", ")})`;
  });
  const commands = missing.map(
    (one) => `npx --no-install pulumi plugin install resource ${textOf(one)} --file FILE`,
  );
  return warn(
    "plugins",
    `not installed yet: ${details.join(", ")}`,
    `the next make up downloads them; without network: ${commands.join("; ")}`,
  );
}

const textOf = ({ name, version }: Plugin): string => `${name} ${version}`;

/** Checks that plain `pulumi`, which uses Node from PATH, can run the program. */
export function nodeFinding(own = process.versions.node, other = nodeOfPath()): Finding {
  const detail = `${own} runs the commands and the program`;
  if (other === own) return ok("node", detail);
  if (other === null) return ok("node", `${detail}; PATH has none for plain pulumi`);
  if (canRun(other)) return ok("node", `${detail}; plain pulumi uses ${other} from PATH`);
  return warn(
    "node",
    `${detail}; plain pulumi uses ${other} from PATH, which cannot run it (needs 22.18, 23.6 or newer)`,
    "run npx --no-install pulumi instead of plain pulumi; make needs no change",
  );
}

function canRun(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major === 22) return minor >= 18;
  return major > 23 || (major === 23 && minor >= 6);
}

/** Returns PATH without the folders that npm and npx prepend. */
function nodeOfPath(): string | null {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const PATH = folders
    .filter((folder) => !folder.endsWith(join("node_modules", ".bin")))
    .join(delimiter);
  const { status, stdout } = spawnSync("node", ["--version"], {
    encoding: "utf8",
    env: { ...process.env, PATH },
  });
  return status === 0 ? stdout.trim().replace(/^v/, "") : null;
}
