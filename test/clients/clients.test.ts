import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { type Engine, holdEngine } from "../../warehouse/engine/engine.ts";
import { classpathOf } from "../support/maven.ts";
import { useFolder } from "../support/use-folder.ts";

const directory = useFolder("clients");
let engine: Engine;
beforeAll(async () => {
  engine = await holdEngine(directory);
  const db = await openWorkspace(directory);
  for (const name of ["native", "http", "java"]) {
    await db.run(`CREATE TABLE default.${name} (n UInt64, f Float64, d Decimal(18, 4),
      s LowCardinality(String), none Nullable(String), list Array(UInt8), day Date,
      at DateTime64(3, 'America/New_York')) ENGINE = MergeTree ORDER BY n`);
  }
  await db.close();
});
afterAll(async () => {
  await engine?.release();
});

const FOLDER = import.meta.dirname;
const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, {
    cwd: join(FOLDER, cwd),
    encoding: "utf8",
    env: { ...process.env, reader: engine.readerPassword, writer: engine.password },
    stdio: "pipe",
  });

/** An hour before it, New York's clocks went forward. */
const ROW = "18446744073709551615 0.5 1.2500 é true 2 2 2026-03-08 2026-03-08T03:30:00.123-04:00\n";

test.each(["native", "http"])("clickhouse-go over %s", (protocol) => {
  const port = protocol === "http" ? engine.httpPort : engine.tcpPort;
  expect(run("go", ["run", ".", protocol, `127.0.0.1:${port}`], "go")).toBe(ROW);
});

test("the Java client-v2", () => {
  const classpath = classpathOf({ file: join(FOLDER, "java/pom.xml") });
  const url = `http://127.0.0.1:${engine.httpPort}`;
  expect(run("java", ["-cp", classpath, "RoundTrip.java", url], "java")).toBe(ROW);
});
