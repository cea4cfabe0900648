import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServerDatabase } from "../../warehouse/database/http.ts";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { READER, WRITER } from "../../warehouse/engine/configuration.ts";
import { type Engine, holdEngine, holdRunningEngine } from "../../warehouse/engine/engine.ts";
import { findLibrary } from "../../warehouse/engine/library.ts";
import { passwordFile, readRecord } from "../../warehouse/engine/record.ts";
import { CLI, cleanEnvironment } from "../support/cli.ts";
import { nativeGreeting } from "../support/native-login.ts";
import { takePort } from "../support/ports.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("local-engine");

const urlOf = ({ httpPort }: Pick<Engine, "httpPort">) => `http://127.0.0.1:${httpPort}`;

/** Waits for the end of a process. */
const untilGone = (pid: number) =>
  expect
    .poll(
      () => {
        try {
          return process.kill(pid, 0);
        } catch {
          return false;
        }
      },
      { timeout: 180_000 },
    )
    .toBe(false);

/** Starts a statement that runs for long with the command line on a workspace. */
async function startQuery(directory: string) {
  const sql = "SELECT count() FROM numbers(1e15)";
  const child = spawn(process.execPath, [CLI, "query", sql, "--database", directory], {
    env: cleanEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let engine: Engine | undefined;
  await expect
    .poll(async () => (engine = await holdRunningEngine(directory)), { timeout: 180_000 })
    .toBeDefined();
  if (engine === undefined) throw new Error("no engine");
  const password = engine.readerPassword;
  const db = new ServerDatabase({ url: urlOf(engine), user: READER, password });
  const isRunning =
    "SELECT 1 FROM system.processes WHERE query LIKE '%numbers(1e15)' AND user != ''";
  await expect.poll(() => db.rows(isRunning), { timeout: 180_000 }).toHaveLength(1);
  await db.close();
  await engine.release();
  return { child, pid: engine.pid };
}

/** Creates a workspace with one row in `default.kept`. */
async function newWorkspace(name: string): Promise<string> {
  const directory = join(root, name);
  const db = await openWorkspace(directory);
  await db.run("CREATE TABLE default.kept ENGINE = MergeTree ORDER BY n AS SELECT 1 AS n");
  await db.close();
  return directory;
}

async function keptIn(directory: string): Promise<unknown[]> {
  const db = await openWorkspace(directory);
  try {
    return await db.rows("SELECT n FROM default.kept");
  } finally {
    await db.close();
  }
}

describe("users", () => {
  let engine: Engine;
  const as = (user: string, password = engine.readerPassword) =>
    new ServerDatabase({ url: urlOf(engine), user, password });
  beforeAll(async () => {
    engine = await holdEngine(join(root, "users"));
  });
  afterAll(() => engine.release());

  test("have passwords, which only the owner of the workspace can read", async () => {
    for (const user of [READER, WRITER]) {
      expect(statSync(passwordFile(join(root, "users"), user)).mode & 0o777).toBe(0o600);
      await expect(as(user, "").rows("SELECT 1")).rejects.toThrow("refuses the user or password");
    }
    expect(engine.readerPassword).not.toBe(engine.password);
    await as(WRITER, engine.password).run(
      "CREATE TABLE default.t ENGINE = Memory AS SELECT 1 AS n",
    );
    await expect(as(WRITER).rows("SELECT 1")).rejects.toThrow("refuses the user or password");
  });

  test("default belongs to the launcher", async () => {
    for (const password of ["", engine.password]) {
      await expect(as("default", password).rows("SELECT 1")).rejects.toThrow(
        "refuses the user or password",
      );
    }
  });

  test("the reader reads", async () => {
    expect(await as(READER).rows("SELECT n FROM default.t")).toEqual([{ n: 1 }]);
  });

  test.each([
    "INSERT INTO default.t SELECT 2",
    "CREATE TABLE default.other (n UInt8) ENGINE = Memory",
    "CREATE TEMPORARY TABLE other (n UInt8)",
    "DROP TABLE default.t",
    "TRUNCATE TABLE default.t",
    "SELECT 1 SETTINGS readonly = 0",
    "SELECT * FROM file('/etc/passwd', LineAsString)",
    "INSERT INTO FUNCTION file('/tmp/never', CSV, 'n UInt8') SELECT 1",
    "SELECT 1 INTO OUTFILE '/tmp/never'",
    "SELECT * FROM url('http://127.0.0.1:1', LineAsString)",
    "SYSTEM STOP LISTEN HTTP",
    "SET readonly = 0",
    "SELECT 1 FORMAT Template SETTINGS format_template_row = '/etc/passwd'",
    "SELECT 1 FORMAT Template SETTINGS format_template_resultset = '/etc/passwd'",
    "SELECT 1 FORMAT Protobuf SETTINGS format_schema = '/etc/passwd:m'",
    "SELECT 1 SETTINGS add_http_cors_header = 1",
    "SELECT 1 SETTINGS http_response_headers = {'Access-Control-Allow-Origin': '*'}",
  ])("the reader cannot %s", async (sql) => {
    await expect(as(READER).run(sql)).rejects.toThrow(
      /Not enough privileges|readonly mode|OUTFILE is not allowed|should not be changed/,
    );
  });

  const statusFor = (path: string, headers: Readonly<Record<string, string>>) =>
    new Promise((resolve, reject) => {
      request({ port: engine.httpPort, host: "127.0.0.1", path, headers })
        .on("response", (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end();
    });

  test.each(["/?query=SELECT+1", "/ping", "/play", "/play/start.json", "/play/main.js"])(
    "%s answers requests of this machine only",
    async (path) => {
      const own = { "X-ClickHouse-User": READER, "X-ClickHouse-Key": engine.readerPassword };
      const statusOf = (headers: object) => statusFor(path, { ...own, ...headers });
      expect(await statusOf({})).toBe(200);
      expect(await statusOf({ Host: `localhost:${engine.httpPort}` })).toBe(200);
      expect(await statusOf({ "Sec-Fetch-Site": "same-origin" })).toBe(200);
      expect(await statusOf({ Host: "evil.example" })).toBe(404);
      expect(await statusOf({ Host: "127.0.0.1.evil.example" })).toBe(404);
      // Any page may lead to the page, which shows nothing without the password.
      const foreign = path === "/play" ? 200 : 404;
      expect(await statusOf({ "Sec-Fetch-Site": "cross-site" })).toBe(foreign);
      expect(await statusOf({ "Sec-Fetch-Site": "same-site" })).toBe(foreign);
    },
  );
});

test("the commands of the documentation query and insert", async () => {
  const directory = join(root, ".state/demo");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(root, "notes.csv"), "2026-01-01,first\n2026-01-02,second\n");
  const engine = await holdEngine(directory);
  const page = readFileSync(join(import.meta.dirname, "../../docs/local-engine.md"), "utf8");
  const commands = [...page.matchAll(/^\$ (curl (?:.*\\\n)*.*)$/gm)].map(([, text = ""]) => text);
  const answers = commands.map((text) =>
    execFileSync("bash", ["-c", text.replaceAll(":9133", `:${engine.httpPort}`)], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
    }),
  );
  expect(answers).toEqual(["", "", "first\nsecond\n"]);
  await engine.release();
});

describe("the engine of several clients", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await holdEngine(join(root, "clients"));
  });
  afterAll(() => engine.release());

  test.each([
    ["half a request", "httpPort", "GET / HT"],
    ["no request", "httpPort", "nonsense\r\n\r\n"],
    ["a request for TLS", "httpPort", "\x16\x03\x01\x02\x00"],
    ["another protocol", "tcpPort", "nonsense\r\n\r\n"],
    ["a wrong password", "tcpPort", nativeGreeting("writer", "wrong")],
  ] as const)("survives one that sends %s to its %s", async (_, port, bytes) => {
    const client = connect(engine[port], "127.0.0.1").on("error", () => undefined);
    const answered = once(client, "data");
    client.write(bytes);
    // The engine answers messages of the native protocol, and waits for more of HTTP.
    if (port === "tcpPort") await Promise.race([answered, once(client, "close")]);
    client.destroy();
    for (let asked = 0; asked < 10; asked += 1) {
      expect((await fetch(`${urlOf(engine)}/ping`)).status).toBe(200);
    }
  });
});

describe("the engine", () => {
  test("is one for commands that start at the same time", async () => {
    const directory = join(root, "together");
    const engines = await Promise.all([1, 2, 3].map(() => holdEngine(directory)));
    expect(new Set(engines.map(({ pid }) => pid)).size).toBe(1);
    const [first, ...others] = engines;
    await first?.release();
    expect((await fetch(`${urlOf(engines[0] as Engine)}/ping`)).status).toBe(200);
    await Promise.all(others.map(({ release }) => release()));
    await untilGone(engines[0]?.pid ?? 0);
    expect(readRecord(directory)).toBeUndefined();
  });

  test.concurrent.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)(
    "ends with a command that %s ends during a statement",
    async (signal) => {
      const directory = await newWorkspace(`ended-by-${signal}`);
      const { child, pid } = await startQuery(directory);
      child.kill(signal);
      await untilGone(pid);
      expect(await keptIn(directory)).toEqual([{ n: 1 }]);
    },
  );

  test("that was killed ends its command with a message, and the next command starts another", async () => {
    const directory = await newWorkspace("killed");
    const { child, pid } = await startQuery(directory);
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    process.kill(pid, "SIGKILL");
    const [status] = await once(child, "close");
    expect(status).toBe(1);
    expect(errors).toMatch(
      /^error: The engine of .*killed has ended .*\n {2}hint: run the command again\n$/,
    );
    expect(await keptIn(directory)).toEqual([{ n: 1 }]);
  });

  test("of a deleted workspace ends, and another one can take its place", async () => {
    const directory = await newWorkspace("deleted");
    const engine = await holdEngine(directory);
    rmSync(directory, { recursive: true, maxRetries: 5 });
    const next = await holdEngine(directory);
    expect(next.pid).not.toBe(engine.pid);
    await engine.untilEnd();
    expect((await fetch(`${urlOf(next)}/ping`)).status).toBe(200);
    await next.release();
    await untilGone(next.pid);
  });

  test("of a copied workspace is its own", async () => {
    const [directory, copy] = [await newWorkspace("original"), join(root, "copy")];
    const engine = await holdEngine(directory);
    cpSync(directory, copy, { recursive: true, verbatimSymlinks: true });
    const other = await holdEngine(copy);
    expect(other.pid).not.toBe(engine.pid);
    await other.release();
    await engine.release();
  });

  test.each([
    ["httpPort", "--port"],
    ["tcpPort", "--native-port"],
  ])("reports a %s in use, with the option that changes it", async (name, option) => {
    const { port, free } = await takePort();
    const held = holdEngine(join(root, "port"), { [name]: port });
    await expect(held).rejects.toMatchObject({
      message: `Port ${port} is in use`,
      hint: `choose another port with ${option} PORT`,
    });
    await free();
  });

  test("removes the configuration of one that was killed during its start", async () => {
    const directory = await newWorkspace("stale");
    // No process can have this number.
    writeFileSync(join(directory, "engine", "config-4194305.xml"), "");
    expect(await keptIn(directory)).toEqual([{ n: 1 }]);
    const configurations = readdirSync(join(directory, "engine")).filter((name) =>
      name.startsWith("config-"),
    );
    expect(configurations).toEqual([]);
  });

  test("that refuses the password of its workspace says how to go on", async () => {
    const directory = await newWorkspace("other-password");
    const engine = await holdEngine(directory);
    writeFileSync(passwordFile(directory, WRITER), "other\n");
    const db = await openWorkspace(directory);
    await expect(db.rows("SELECT 1")).rejects.toMatchObject({
      message: `The engine of ${directory} refuses the password in its folder engine`,
      hint: "end the commands that use the workspace, then run this one again",
    });
    await db.close();
    await engine.release();
  });

  test("names the process that has the directory's lock without being an engine", async () => {
    const directory = await newWorkspace("locked");
    const engine = await holdEngine(directory);
    rmSync(join(directory, "engine", "running.json"));
    await expect(holdEngine(directory, {}, 0)).rejects.toThrow(
      `The data directory ${directory} is in use by another process (${engine.pid})`,
    );
    await engine.release();
  });
});

describe("the library", () => {
  test("of an unknown platform is refused with those that exist", () => {
    expect(() => findLibrary("win32-x64")).toThrow(
      "No local engine runs on win32-x64. Allowed: darwin-arm64, darwin-x64, linux-arm64, linux-x64",
    );
  });

  test("that is not installed is named", () => {
    const missing = () => {
      throw new Error("Cannot find module");
    };
    expect(() => findLibrary("linux-x64", missing)).toThrow(
      "The local engine is not installed: the package @chdb/lib-linux-x64-gnu is missing",
    );
  });
});
