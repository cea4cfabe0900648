import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { images } from "../../pipeline/stack/images.ts";
import { run } from "./docker.ts";
import { releaseOf } from "./names.ts";

/** A Go module of one exact release. */
export interface GoModule {
  readonly path: string;
  readonly version: string;
}

const [major = "", minor = "", patch = ""] = releaseOf(images.prometheus).split(".");

/** Prometheus counts its module otherwise than its releases: 3.13.3 is v0.313.3. */
export const prometheusModule: GoModule = {
  path: "github.com/prometheus/prometheus",
  version: `v0.${major}${minor.padStart(2, "0")}.${patch}`,
};

export const statsdModule: GoModule = {
  path: "github.com/prometheus/statsd_exporter",
  version: `v${releaseOf(images.statsdExporter)}`,
};

/**
 * Compiles a program into a folder, from within a module made for it: a module that replaces
 * others, as Prometheus does, cannot be installed by its path.
 */
export function compileGo(folder: string, { path, version }: GoModule, command = ""): void {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "go-program-"));
  try {
    // Before Go 1.17 the whole graph of modules was read: hundreds of downloads for nothing.
    writeFileSync(
      join(work, "go.mod"),
      `module program\n\ngo 1.21\n\nrequire ${path} ${version}\n`,
    );
    const target = join(path, command);
    // Without the discovery of machines in clouds: half of Prometheus, and nothing we use.
    const options = ["-mod=mod", "-tags=remove_all_sd", "-o", `${folder}/`];
    run("go", ["build", ...options, target], {
      cwd: work,
      env: { ...process.env, CGO_ENABLED: "0" },
    });
    chmodSync(join(folder, target.split("/").at(-1) ?? ""), 0o755);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
