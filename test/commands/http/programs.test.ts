import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pythonEnvironment } from "../../support/python.ts";
import { startTestServer, type TestServer } from "./support.ts";

const run = promisify(execFile);
const python = pythonEnvironment(join(import.meta.dirname, "requirements.txt"));
if ("missing" in python) console.warn(`clickhouse-connect is not tested: ${python.missing}`);
const curlMissing = await run("curl", ["--version"]).then(
  () => undefined,
  (error: Error) => error.message,
);
if (curlMissing) console.warn(`curl is not tested: ${curlMissing}`);

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ password: "secret" });
});
afterAll(() => server.stop());

describe.skipIf(curlMissing)("curl", () => {
  /** Body and exit status; curl reads its body from a file or the argument. */
  const curl = async (...args: string[]): Promise<[string, number]> => {
    const all = ["--silent", "--user", "default:secret", ...args];
    return run("curl", all, { maxBuffer: 1 << 26 }).then(
      ({ stdout }) => [stdout, 0],
      (error: { stdout: string; code: number }) => [error.stdout, error.code],
    );
  };

  it("sends statements and rows, and reads results", async () => {
    const url = server.http.url;
    expect(await curl(`${url}/?query=SELECT%201`)).toEqual(["1\n", 0]);
    expect(await curl("--data-binary", "SELECT 'ö'", url)).toEqual(["ö\n", 0]);
    expect(await curl("-d", "CREATE TABLE c (a Int8, s String) ENGINE = Memory", url)).toEqual([
      "",
      0,
    ]);
    const head = `${url}/?query=INSERT%20INTO%20c%20FORMAT%20CSV`;
    expect(await curl("--data-binary", '1,"a\nb"\n', head)).toEqual(["", 0]);
    expect(await curl("-d", "SELECT * FROM c FORMAT JSONEachRow", url)).toEqual([
      '{"a":1,"s":"a\\nb"}\n',
      0,
    ]);
    expect(await curl("-F", "query=SELECT {p:Int8}", "-F", "param_p=4", url)).toEqual(["4\n", 0]);
    const compressed = await curl(
      "--compressed",
      `${url}/?enable_http_compression=1&query=SELECT%201`,
    );
    expect(compressed).toEqual(["1\n", 0]);
  });
});

it.skipIf("missing" in python)(
  "clickhouse-connect queries, inserts and understands errors",
  async () => {
    if ("missing" in python) return;
    const script = join(import.meta.dirname, "check.py");
    const { stdout } = await run(python.python, [script, String(server.http.port), "secret"]);
    const insert = [20_000, 20_000, (19_999 * 20_000) / 2, `${"text".repeat(10)}9999`, 1];
    expect(JSON.parse(stdout)).toEqual({
      ping: true,
      types: [
        "0",
        "2026-01-01 01:02:03.123456",
        "x",
        "[1, 2]",
        "{'k': 1}",
        "00000000-0000-0000-0000-000000000001",
        "None",
        "1.50",
      ],
      zone: "1970-01-01 09:00:00+09:00",
      bound: [["it's\n", [1]]],
      empty: [],
      columns: ["x"],
      command: 5,
      inserts: { False: insert, lz4: insert, zstd: insert, gzip: insert },
      streamed: 300_000,
      external: [
        [1, "a"],
        [2, "b"],
      ],
      form: [[7]],
      setting: [[3]],
      unknown: expect.stringContaining("Code: 60. DB::Exception"),
      early: expect.stringContaining("Code: 395. DB::Exception: late"),
      late: expect.stringContaining("Code: 395. DB::Exception: late"),
      denied: expect.stringContaining("Code: 516. DB::Exception"),
    });
  },
);
