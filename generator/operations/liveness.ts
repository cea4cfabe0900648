import type { Admin } from "@platformatic/kafka";
import { isLoadKey, STATE_TOPIC } from "../../contract/topics.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import { readLatest } from "../../kafka/read.ts";
import { readSourceTexts } from "../../kafka/sources.ts";
import { parseFrame, type RecordFrame } from "./record.ts";

/** Allowance beyond two ticks for a batch that waits for a slow broker, ms. */
const GRACE_MS = 5_000;
const DEFAULT_TICK_SECONDS = 5;

/** Returns instances with recent writes, because the broker does not list connected producers. */
export async function liveInstances(admin: Admin, now: number = Date.now()): Promise<string[]> {
  const topics = await admin.listTopics();
  if (!topics.includes(STATE_TOPIC)) return [];
  const epoch = await readEpoch(admin);
  if (!epoch) return [];
  const live: string[] = [];
  for (const instance of (await readSourceTexts(admin, epoch.epoch)).keys()) {
    if (isLoadKey(instance)) continue;
    const stored = await readLatest(admin, STATE_TOPIC, instance);
    if (!stored?.value) continue;
    const text = stored.value.toString();
    if (readable(text)?.stopped) continue;
    const allowed = 2 * tickMsOf(text) + GRACE_MS;
    if (now - stored.timestamp < allowed) live.push(instance);
  }
  return live;
}

/** Returns the tick of a live instance, ms; 0 for others. */
function tickMsOf(text: string): number {
  const frame = readable(text);
  const settings = (frame?.generator as { settings?: Record<string, string> } | null)?.settings;
  if (frame?.phase !== "live") return 0;
  return Number(settings?.GEN_TICK_SECONDS ?? DEFAULT_TICK_SECONDS) * 1000;
}

function readable(text: string): RecordFrame | null {
  try {
    return parseFrame(text);
  } catch {
    return null;
  }
}
