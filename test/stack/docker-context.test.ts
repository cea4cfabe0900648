import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { dockerEndpoint } from "../../components/shared/engine.ts";
import { useFolder } from "../support/use-folder.ts";

const folder = useFolder("docker-context");
afterEach(() => vi.unstubAllEnvs());

/** Creates a context in a configuration of its own. @returns the address of its engine */
function createContext(name: string, options = ""): string {
  vi.stubEnv("DOCKER_CONFIG", folder);
  const host = `tcp://${name}.example:2376`;
  execFileSync("docker", ["context", "create", name, "--docker", `host=${host}${options}`], {
    stdio: "pipe",
  });
  vi.stubEnv("DOCKER_CONTEXT", name);
  return host;
}

test("the program connects to the engine of the docker command's context", () => {
  expect(createContext("far")).toBe(dockerEndpoint().host);
  expect(dockerEndpoint().certPath).toBeUndefined();
});

test("with the certificates of the context", () => {
  const file = (name: string) => join(folder, name);
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=x"];
  execFileSync("openssl", [...request, "-keyout", file("key.pem"), "-out", file("ca.pem")], {
    stdio: "pipe",
  });
  const host = createContext("secured", `,ca=${file("ca.pem")}`);
  expect(dockerEndpoint()).toEqual({ host, certPath: expect.stringContaining(folder) });
});

test("DOCKER_HOST wins, whose certificates the provider reads itself", () => {
  vi.stubEnv("DOCKER_CONFIG", folder);
  vi.stubEnv("DOCKER_HOST", "tcp://other.example:2376");
  expect(dockerEndpoint()).toEqual({ host: "tcp://other.example:2376" });
});

test("a context that does not exist is refused, because the usual socket would be another engine", () => {
  vi.stubEnv("DOCKER_CONTEXT", "fra");
  expect(dockerEndpoint).toThrow(/^docker context inspect failed: context "fra"/);
});
