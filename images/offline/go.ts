import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./docker.ts";
import { releaseOf } from "./names.ts";

export interface GoModule {
  readonly path: string;
  readonly version: string;
}

const [major = "", minor = "", patch = ""] = releaseOf("prometheus").split(".");

/** Go module of Prometheus, whose release 3.13.3 has the module version v0.313.3. */
export const prometheusModule: GoModule = {
  path: "github.com/prometheus/prometheus",
  version: `v0.${major}${minor.padStart(2, "0")}.${patch}`,
};

export const statsdModule: GoModule = {
  path: "github.com/prometheus/statsd_exporter",
  version: `v${releaseOf("statsdExporter")}`,
};

/** Compiles a program in a new module, because `go install` rejects `replace` directives. */
export function compileGo(folder: string, { path, version }: GoModule, command = ""): void {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "go-program-"));
  try {
    // With a Go version, Go does not download the whole module graph.
    writeFileSync(
      join(work, "go.mod"),
      `module program\n\ngo 1.21\n\nrequire ${path} ${version}\n`,
    );
    const target = join(path, command);
    // Excludes cloud service discovery, which is half of Prometheus and unused.
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
