/**
 * Hits per second of processor time of the collector, whose journal is on the disk, beside Node's bare HTTP server that
 * answers the same requests. What ClickHouse does with the hits is not part of it.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Journal } from "../collector/journal.ts";
import type { Outcomes } from "../collector/micro.ts";
import { Pump } from "../collector/pump.ts";
import { createCollector } from "../collector/server.ts";
import { DailyVisitors } from "../collector/visitor.ts";
import { median, ownCpuSeconds } from "./measure.ts";
import type { BenchRow } from "./verdict.ts";

const CONNECTIONS = 64;
const HITS = 60_000;
const ROUNDS = 3;

const BODY = JSON.stringify({
  site: "shop.example",
  type: "pageview",
  id: "0b6f4d5c-6f0e-4d43-8a5e-2f1f5b8f4a11",
  url: "https://shop.example/product_a?utm_source=news&utm_medium=email&utm_campaign=may",
  referrer: "https://www.google.com/",
  language: "en-US",
  timezone: "Europe/Berlin",
  properties: { product: "a", price: 42.5 },
  time: 1_795_866_831_492,
  sent: 1_795_866_831_495,
});

export async function benchCollector(): Promise<BenchRow[]> {
  const rounds: Record<"collector" | "bare", Measurement>[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({ collector: await measure("collector"), bare: await measure("bare") });
  const [value, reference] = (["collector", "bare"] as const).map((kind) =>
    Math.round(median(rounds.map((one) => one[kind].hitsPerSecond))),
  ) as [number, number];
  const peak = Math.max(...rounds.map(({ collector }) => collector.peakMiB));
  return [
    {
      name: "collector, compared with Node's HTTP server without a handler",
      value,
      unit: "hits/s",
      reference,
      ratio: Math.round((value / reference) * 100) / 100,
      atLeast: 0.15,
    },
    {
      name: "memory of the collector",
      value: Math.round(peak),
      unit: "MiB",
      atMost: 200,
    },
  ];
}

interface Measurement {
  readonly hitsPerSecond: number;
  readonly peakMiB: number;
}

/** Sends hits to a server in a process of its own. */
async function measure(kind: "collector" | "bare"): Promise<Measurement> {
  const child = fork(import.meta.filename, [kind]);
  const [port] = (await once(child, "message")) as [number];
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let left = HITS;
  const sendAll = async () => {
    for (; left > 0; left -= 1) await send(port, agent);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendAll));
  agent.destroy();
  child.send("end");
  const [measured] = (await once(child, "message")) as [Measurement];
  await once(child, "exit");
  return measured;
}

const send = (port: number, agent: Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { "Content-Type": "text/plain", "User-Agent": "Chrome/140.0.0.0" };
    request({ port, agent, method: "POST", path: "/hit", headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().once("end", resolve);
    })
      .once("error", reject)
      .end(BODY);
  });

const OUTCOMES: Outcomes = {
  totals: async () => ({ total: 0, good: 0, bad: 0 }),
  latest: async () => [],
  shown: async () => [],
  reset: async () => undefined,
};

async function serveCollector(): Promise<number> {
  const dir = mkdtempSync(join(process.cwd(), ".bench-"));
  process.once("exit", () => rmSync(dir, { recursive: true }));
  const journal = new Journal(join(dir, "journal"), { next: 0, maxBytes: 256e6 });
  const none = async () => undefined;
  new Pump({ journal, deliver: none, onDelivered: () => undefined, onFailure: console.error });
  const app = await createCollector({
    journal,
    visitors: new DailyVisitors(dir),
    outcomes: OUTCOMES,
    origins: [],
    sites: [],
    address: "shortened",
    rate: 1_000_000,
  });
  await app.listen({ port: 0 });
  return (app.server.address() as AddressInfo).port;
}

async function serveBare(): Promise<number> {
  const server = createServer((message, response) => {
    message.on("data", () => undefined).once("end", () => response.end("{}"));
  }).listen(0);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function serve(kind: string): Promise<void> {
  const port = await (kind === "bare" ? serveBare() : serveCollector());
  const begun = ownCpuSeconds();
  process.once("message", () => {
    const hitsPerSecond = HITS / (ownCpuSeconds() - begun);
    const peakMiB = process.resourceUsage().maxRSS / 1024;
    process.send?.({ hitsPerSecond, peakMiB }, () => process.exit());
  });
  process.send?.(port);
}

const [kind] = process.argv.slice(2);
if (kind !== undefined && process.send) await serve(kind);
