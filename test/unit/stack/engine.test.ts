import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const USUAL = { host: "unix:///var/run/docker.sock" };

/** Answer of `docker context inspect`; null: there is no such command; a text: it fails. */
let context: object | string | null;
vi.mock("node:child_process", async (original) => ({
  ...(await original<object>()),
  execFileSync: () => {
    if (context === null) throw Object.assign(new Error("spawn"), { code: "ENOENT" });
    if (typeof context === "string") throw Object.assign(new Error("1"), { stderr: context });
    return `${JSON.stringify(context)}\n`;
  },
}));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "context-"));
  mkdirSync(join(folder, "docker"));
  vi.resetModules();
  vi.stubEnv("DOCKER_HOST", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const engine = async () => (await import("../../../components/shared/engine.ts")).dockerEndpoint();

const remote = (...files: string[]) => {
  for (const file of files) writeFileSync(join(folder, "docker", file), "");
  return {
    Name: "far",
    Endpoints: { docker: { Host: "tcp://far.example:2376" } },
    TLSMaterial: files.length > 0 ? { docker: files } : {},
    Storage: { TLSPath: folder },
  };
};

const far = { host: "tcp://far.example:2376" };

test.each([
  ["the context's host", () => remote(), far, "docker context far"],
  [
    "that host with all certificates of the context",
    () => remote("ca.pem", "cert.pem", "key.pem"),
    () => ({ ...far, certPath: join(folder, "docker") }),
    "docker context far",
  ],
  ["the usual socket without a docker command", () => null, USUAL, "default"],
])("the connection to the engine is %s", async (_, given, connection, source) => {
  context = given();
  const expected = typeof connection === "function" ? connection() : connection;
  expect(await engine()).toEqual({ connection: expected, source });
});

test("a context that does not exist is refused, because the socket would be another engine", async () => {
  context = 'context "fra": not found\n';
  await expect(engine()).rejects.toMatchObject({
    message: 'docker context inspect failed: context "fra": not found',
    hint: expect.stringContaining("DOCKER_CONTEXT"),
  });
});

test("DOCKER_HOST wins, whose certificates the provider reads itself", async () => {
  context = remote("ca.pem");
  vi.stubEnv("DOCKER_HOST", "tcp://other.example:2376");
  const connection = { host: "tcp://other.example:2376" };
  expect(await engine()).toEqual({ connection, source: "DOCKER_HOST" });
});
