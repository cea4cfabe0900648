import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

const POM = join(import.meta.dirname, "pom.xml");

/**
 * Class path of the broker of `pom.xml`. Maven is asked once per version of that file; its answer
 * is kept in the user's cache folder, the jars in Maven's own repository.
 * @throws Error with Maven's output when the jars cannot be had
 */
export function brokerClasspath(): string {
  const cached = cacheFile();
  if (!existsSync(cached) || !complete(readFileSync(cached, "utf8"))) resolve(cached);
  return readFileSync(cached, "utf8").trim();
}

function cacheFile(): string {
  const digest = createHash("sha256").update(readFileSync(POM)).digest("hex").slice(0, 12);
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = join(cache, "event-pipeline-stack");
  mkdirSync(folder, { recursive: true });
  return join(folder, `test-broker-${digest}.classpath`);
}

const complete = (classpath: string): boolean =>
  classpath.trim() !== "" && classpath.trim().split(delimiter).every(existsSync);

function resolve(cached: string): void {
  // Aside, then in one step: another level may read it.
  const aside = `${cached}.${process.pid}`;
  const goal = ["dependency:build-classpath", `-Dmdep.outputFile=${aside}`];
  const { status, stdout, error } = spawnSync("mvn", ["-B", "-q", "-f", POM, ...goal], {
    encoding: "utf8",
  });
  if (status !== 0 || !existsSync(aside)) {
    throw new Error(`Maven cannot resolve the broker's jars: ${error?.message ?? stdout}`);
  }
  renameSync(aside, cached);
}
