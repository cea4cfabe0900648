import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { libraryPackage } from "../../warehouse/engine/library.ts";
import { CACHE } from "./cache.ts";

/** ClickHouse 26.5, two releases before the engine's. */
const RELEASE = "26.5.3";

/** Runs statements with an earlier ClickHouse on the tables of a directory. @throws Error with its output */
export function runEarlier(directory: string, statements: readonly string[]): void {
  const done = join(directory, "done");
  const script = join(directory, "script.sql");
  writeFileSync(
    script,
    [...statements, `SELECT version() INTO OUTFILE '${done}'`].map((sql) => `${sql};\n`).join(""),
  );
  const options = ["--path", directory, "--queries-file", script];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", SESSION, earlierLibrary(), ...options],
    { cwd: import.meta.dirname, encoding: "utf8" },
  );
  if (!existsSync(done)) throw new Error(`ClickHouse ${RELEASE} ended early:\n${stdout}${stderr}`);
}

/** A process of its own, because a process loads one library. */
const SESSION = `
  import { DataType, load, open } from "ffi-rs";
  const [library, ...options] = process.argv.slice(1);
  const argv = ["clickhouse", ...options];
  open({ library: "chdb", path: library });
  await load({
    library: "chdb", funcName: "chdb_query_cmdline", retType: DataType.External,
    paramsType: [DataType.I32, DataType.StringArray], paramsValue: [argv.length, argv], runInNewThread: true,
  });
  process.exit(0);`;

/** Library of the release, which npm brings once. */
function earlierLibrary(): string {
  const folder = join(CACHE, `chdb-${RELEASE}`);
  if (!existsSync(folder)) fetchLibrary(folder);
  return join(folder, "package/libchdb.so");
}

function fetchLibrary(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}-`);
  const name = `${libraryPackage(`${process.platform}-${process.arch}`)}@${RELEASE}`;
  const packed = execFileSync("npm", ["pack", "--silent", name], { cwd: draft, encoding: "utf8" });
  execFileSync("tar", ["xzf", packed.trim(), "package/libchdb.so"], { cwd: draft });
  rmSync(join(draft, packed.trim()));
  renameSync(draft, folder);
}
