import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import type { TestBroker } from "../test/kafka/broker.ts";
import { GeneratorProcess } from "../test/kafka/generator.ts";
import { resetTopics } from "../warehouse/epochs/topics.ts";
import type { BenchRow } from "./generator.ts";
import { settings } from "./kafka-settings.ts";

const SHORT_DAYS = 7;
const LONG_DAYS = 30;
const MIB = 1024;

export async function memory(broker: TestBroker, admin: Admin): Promise<BenchRow[]> {
  const short = await peakMiB(broker, admin, SHORT_DAYS);
  const long = await peakMiB(broker, admin, LONG_DAYS);
  return [
    {
      name: `memory of a backfill of ${LONG_DAYS} model days`,
      value: Math.round(long),
      unit: "MiB",
      reference: null,
      ratio: null,
      atMost: 512,
    },
    {
      name: `memory of a backfill of ${LONG_DAYS} model days, compared with ${SHORT_DAYS}`,
      value: Math.round(long),
      unit: "MiB",
      reference: Math.round(short),
      ratio: Math.round((long / short) * 100) / 100,
      atMost: 1.1,
    },
  ];
}

async function peakMiB(broker: TestBroker, admin: Admin, days: number): Promise<number> {
  await resetTopics(admin, { database: null, scope: "all" });
  const generator = new GeneratorProcess(broker.bootstrap, settings(days));
  let peak = 0;
  const exited = once(generator.child, "exit");
  while (!generator.hasExited) {
    peak = Math.max(peak, await residentKiB(generator.child.pid ?? 0));
    await Promise.race([sleep(200), exited]);
  }
  if (generator.child.exitCode !== 0) throw new Error(generator.output);
  return peak / MIB;
}

async function residentKiB(pid: number): Promise<number> {
  const child = spawn("ps", ["-o", "rss=", "-p", String(pid)]);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  await once(child, "close");
  return Number(output.trim() || 0);
}
