import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { memoryOfServices, readUsage, usageOf } from "../../../pipeline/stack/manage/memory-use.ts";

const MIB = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), "engine-"));
const socket = join(folder, "docker.sock");
const asked: string[] = [];
let server: Server;

/** Three containers of which two have gone when they are asked about: before, and meanwhile. */
function answer(path: string): string | undefined {
  if (path.startsWith("/containers/json")) {
    const labels = (Id: string) => ({ Id, Labels: { "event-pipeline.role": `role-${Id}` } });
    return JSON.stringify(["here", "gone", "going"].map(labels));
  }
  if (path.startsWith("/containers/gone/")) return undefined;
  if (path.startsWith("/containers/going/")) return "";
  const stats = { inactive_file: 20 * MIB };
  return JSON.stringify({ memory_stats: { usage: 90 * MIB, limit: 512 * MIB, stats } });
}

beforeAll(async () => {
  vi.stubEnv("DOCKER_HOST", `unix://${socket}`);
  server = createServer((request, response) => {
    const body = answer(request.url ?? "");
    asked.push(decodeURIComponent(request.url ?? ""));
    response.writeHead(body === undefined ? 404 : 200).end(body ?? "{}");
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
});
afterAll(() => {
  server.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test("memory of the stack's containers, from the engine itself", async () => {
  expect(await memoryOfServices("mine", new AbortController().signal)).toEqual([
    { service: "role-here", used: 70, limit: 512 },
  ]);
  expect(asked[0]).toContain('{"label":["event-pipeline.stack=mine","event-pipeline.role"]}');
});

test("whoever stops waiting is not kept", async () => {
  await expect(memoryOfServices("mine", AbortSignal.abort())).rejects.toThrow(/abort/i);
});

test.each([
  ["230.6MiB / 768MiB", 231, 768],
  ["1.5GiB / 4GiB", 1536, 4096],
  ["512KiB / 96MiB", 1, 96],
  ["0B / 0B", 0, 0],
  ["-- / --", 0, 0],
])("the container engine's %s is %i of %i MiB", (text, used, limit) => {
  expect(readUsage(text)).toEqual({ used, limit });
});

test.each([
  ["control groups 2", { inactive_file: 20 * 2 ** 20, total_inactive_file: undefined }],
  ["control groups 1", { inactive_file: 0, total_inactive_file: 20 * 2 ** 20 }],
])("pages of files that could be given back are not counted: %s", (_, stats) => {
  const memory_stats = { usage: 100 * 2 ** 20, limit: 512 * 2 ** 20, stats };
  expect(usageOf({ memory_stats })).toEqual({ used: 80, limit: 512 });
});

test("a container that has just ended holds nothing", () => {
  expect(usageOf({ memory_stats: {} })).toEqual({ used: 0, limit: 0 });
});
