import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CLI, cleanEnvironment, pipeline } from "../support/cli.ts";

const root = mkdtempSync(join(tmpdir(), "collect-"));
const directory = join(root, "site");
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address ? address.port : 0;
}

interface Collector {
  readonly child: ChildProcess;
  readonly output: () => string;
}

/** Starts the collector, and waits until it answers. */
async function start(port: number): Promise<Collector> {
  const args = ["collect", "--port", `${port}`, "--database", directory];
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: cleanEnvironment(),
  });
  children.push(child);
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  while (!text.includes("Collecting")) await once(child.stdout ?? child, "data");
  return { child, output: () => text };
}

async function end({ child }: Collector, signal: NodeJS.Signals): Promise<void> {
  const closed = once(child, "close");
  child.kill(signal);
  await closed;
}

const post = (port: number, body: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/hit`, { method: "POST", body });

const view = (id: string): string =>
  JSON.stringify({
    site: "shop",
    type: "pageview",
    url: "https://shop.example/home",
    visitor: "v",
    id,
  });

test("hits survive a kill, reach the marts once, and are accounted for", async () => {
  const port = await freePort();
  const killed = await start(port);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => post(port, view(`a${i}`))),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await end(killed, "SIGKILL");

  const collector = await start(port);
  await post(port, view("a0"));
  await post(port, "oops");
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).json();
  expect(await get("/micro/all")).toEqual({ total: 22, good: 21, bad: 1 });
  expect(await get("/micro/bad")).toMatchObject([{ collectorPayload: { body: "oops" } }]);
  const second = pipeline(["collect", "--port", `${await freePort()}`, "--database", directory]);
  expect(second.stderr).toContain("Another collector uses");
  await end(collector, "SIGINT");
  expect(collector.output()).toContain("22 hits = 21 good + 1 bad");

  const rows = "SELECT count(), uniq(click_id) FROM dm.event_enriched";
  const query = pipeline(["query", rows, "--format", "CSV", "--database", directory]);
  expect(query.stdout.trim()).toBe("20,1");
  const proof = pipeline(["prove", "--deep", "--database", directory]);
  expect(proof.stdout).toContain("the collector: 22 hits = 21 events + 1 hit rejected");
  expect(proof.status).toBe(0);
});

test("an address of a server and a port in use are refused", async () => {
  const server = pipeline(["collect", "--database", "http://localhost:9123"]);
  expect(server.stderr).toContain("is a server. Allowed: a directory");
  const used = createServer().listen(0, "127.0.0.1");
  await once(used, "listening");
  const { port } = used.address() as { port: number };
  const { stderr, status } = pipeline(["collect", "--port", `${port}`, "--database", directory]);
  used.close();
  expect(stderr).toContain(`Port ${port} is in use`);
  expect(status).toBe(1);
});
