import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../contract/errors.ts";
import { run } from "./docker.ts";
import { ROOT } from "./recipe.ts";

/** Builds a minimal Debian from this machine's configured package archive. */
export function debianRoot(context: string): void {
  const root = join(context, "root");
  const archive = run("apt-get", ["indextargets", "--format", "$(SITE)", "Codename: bookworm"]);
  const mirror = archive.split("\n")[0] ?? "";
  const packages = "ca-certificates,wget,procps,libstdc++6";
  run("debootstrap", ["--variant=minbase", `--include=${packages}`, "bookworm", root, mirror]);
  run("tar", ["-C", root, "--exclude=./dev", "-cf", join(context, "root.tar"), "."]);
  run("rm", ["-rf", "--one-file-system", root]);
}

/** Copies the Node binary of the pinned npm package, and npm. */
export function nodeProgram(context: string): void {
  cpSync(join(ROOT, "node_modules/node/bin/node"), join(context, "node"));
  run("npm", ["install", "--prefix", context, "--no-save", "--ignore-scripts", "npm@11.6.2"]);
  clientConfiguration(context);
}

/** Copies the npm configuration, so that npm in an image build uses this machine's registry. */
function clientConfiguration(context: string): void {
  const registry = run("npm", ["config", "get", "registry"]);
  writeFileSync(join(context, "npmrc"), `registry=${registry}\n`);
  const trusted = process.env.NODE_EXTRA_CA_CERTS;
  writeFileSync(
    join(context, "extra-ca.crt"),
    trusted && existsSync(trusted) ? readFileSync(trusted) : "",
  );
}

const PYTHON = "3.11";

/** Builds wheels of a hashed lock and of uv, so that the image build needs no package index. */
export function pythonWheels(context: string, lock: string): void {
  const version = run("python3", ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"]);
  if (version !== PYTHON) {
    throw new UserError(
      `python3 is version ${version}. Required for the image's packages: ${PYTHON}`,
      `put the python3 of Python ${PYTHON} first in PATH`,
    );
  }
  const wheel = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"];
  const folder = join(context, "wheels");
  run("python3", [...wheel, folder, "--requirement", join(ROOT, lock)]);
  run("python3", [...wheel, folder, "uv==0.13.8"]);
}

export function kafkaJars(context: string): void {
  const pom = join(ROOT, "test/kafka/pom.xml");
  run("mvn", [
    ...["-B", "-q", "-f", pom, "dependency:copy-dependencies"],
    `-DoutputDirectory=${join(context, "libs")}`,
  ]);
}

export function copyProject(context: string, paths: readonly string[]): void {
  for (const path of paths)
    cpSync(join(ROOT, path), join(context, "app", path), { recursive: true });
}

export function nodeModules(context: string, names: readonly string[]): void {
  const pending = [...names];
  const copied = new Set<string>();
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const folder = join(ROOT, "node_modules", name);
    if (copied.has(name) || !existsSync(folder)) continue;
    copied.add(name);
    cpSync(folder, join(context, "app/node_modules", name), { recursive: true });
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    pending.push(...Object.keys(dependencies), ...Object.keys(optionalDependencies));
  }
}
