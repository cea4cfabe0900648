import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

/** Answer of `docker context inspect`; null: there is no such command. */
let context: object | null;
vi.mock("node:child_process", async (original) => ({
  ...(await original<object>()),
  execFileSync: () => {
    if (context === null) throw new Error("ENOENT");
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

const engine = async () => (await import("../../../components/shared/engine.ts")).dockerEngine();

const remote = (...files: string[]) => {
  for (const file of files) writeFileSync(join(folder, "docker", file), "");
  return {
    Name: "far",
    Endpoints: { docker: { Host: "tcp://far.example:2376" } },
    TLSMaterial: files.length > 0 ? { docker: files } : {},
    Storage: { TLSPath: folder },
  };
};

describe("the connection to the engine", () => {
  test("is the context's host", async () => {
    context = remote();
    expect(await engine()).toEqual({
      connection: { host: "tcp://far.example:2376" },
      source: "docker context far",
    });
  });

  test("has the certificates of the context", async () => {
    context = remote("ca.pem", "cert.pem", "key.pem");
    expect((await engine()).connection).toEqual({
      host: "tcp://far.example:2376",
      certPath: join(folder, "docker"),
    });
  });

  test("is refused with a part of the certificates, because the provider needs all", async () => {
    context = remote("ca.pem");
    await expect(engine()).rejects.toMatchObject({
      name: "UserError",
      message: `The docker context far has ca.pem and no cert.pem, key.pem; Pulumi's Docker provider needs all three`,
      hint: 'run docker context update far --docker "host=tcp://far.example:2376,ca=<file>,cert=<file>,key=<file>"',
    });
  });

  test("is DOCKER_HOST if set, whose certificates the provider reads itself", async () => {
    context = remote("ca.pem");
    vi.stubEnv("DOCKER_HOST", "tcp://other.example:2376");
    expect(await engine()).toEqual({
      connection: { host: "tcp://other.example:2376" },
      source: "DOCKER_HOST",
    });
  });

  test("is the usual socket without a docker command", async () => {
    context = null;
    expect((await engine()).connection).toEqual({ host: "unix:///var/run/docker.sock" });
  });
});
