import { emptyBatch, type MessageBatch } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import type { Micros } from "../../contract/time.ts";
import { runBackfill } from "../../generator/backfill.ts";
import { catalogueDonors } from "../../generator/catalogue/donors.ts";
import { parseConfig } from "../../generator/config.ts";
import { DonorPool } from "../../generator/model/donors.ts";
import { MemoryPublisher } from "./memory-publisher.ts";

/** Message for stg. */
export interface Message {
  readonly stream: StreamName;
  readonly key: string | null;
  readonly value: string;
  readonly emittedAt: Micros | null;
}

/** Generates messages of some model minutes, with many defects. */
export async function generateMessages(seed: string, minutes: number) {
  const end = new Date(Date.UTC(2026, 0, 1, 9, minutes)).toISOString();
  const config = parseConfig({
    GEN_RUN_MODE: "backfill",
    GEN_SEED: seed,
    GEN_MODEL_T0: "2026-01-01T09:00:00Z",
    GEN_MODEL_T_END: end,
    GEN_DEFECTS:
      "malformed=0.03,duplicate=0.05,missing_location=0.05,missing_device=0.1,bad_geo=0.1,skewed_clock=0.03",
  });
  const memory = new MemoryPublisher();
  const donors = new DonorPool(catalogueDonors(config.seed));
  const { manifest } = await runBackfill(config, donors, memory);
  return { messages: toMessages(memory.published), manifest };
}

export const toMessages = (batch: MessageBatch): Message[] =>
  STREAMS.flatMap((stream) =>
    batch[stream].values.map((value, index) => ({
      stream,
      key: batch[stream].keys[index] ?? null,
      value,
      emittedAt: batch[stream].emittedAt[index] ?? null,
    })),
  );

export function toBatch(messages: readonly Message[]): MessageBatch {
  const batch = emptyBatch();
  for (const { stream, key, value, emittedAt } of messages) {
    batch[stream].keys.push(key);
    batch[stream].values.push(value);
    batch[stream].emittedAt.push(emittedAt);
  }
  return batch;
}

/** Creates a browser message; the defaults of `locationMessage` have the same event. */
export const browserMessage = (fields: Record<string, unknown>, emittedAt: Micros | null = null) =>
  message("browser", { ...BROWSER, ...fields }, emittedAt);

export const locationMessage = (fields: Record<string, unknown>) =>
  message("location", { ...LOCATION, ...fields }, null);

export const deviceMessage = (fields: Record<string, unknown>) =>
  message("device", { ...DEVICE, ...fields }, null);

export const geoMessage = (fields: Record<string, unknown>) =>
  message("geo", { ...GEO, ...fields }, null);

export const rawMessage = (stream: StreamName, value: string): Message => ({
  stream,
  key: null,
  value,
  emittedAt: null,
});

function message(stream: StreamName, payload: object, emittedAt: Micros | null): Message {
  return { stream, key: null, value: JSON.stringify(payload), emittedAt };
}

/** Returns a readable id for handwritten cases, such as `uuid(1)`. */
export const uuid = (n: number): string =>
  `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;

const BROWSER = {
  event_id: uuid(1),
  event_timestamp: "2026-01-01 10:00:00.000001",
  event_type: "pageview",
  click_id: uuid(100),
  browser_name: "Firefox",
  browser_user_agent: "Mozilla/5.0",
  browser_language: "en-US",
};

const LOCATION = {
  event_id: uuid(1),
  page_url: "https://shop.example/home",
  page_url_path: "/home",
  referer_url: "",
  referer_medium: "direct",
  utm_medium: "",
  utm_source: "",
  utm_content: "",
  utm_campaign: "",
};

const DEVICE = {
  click_id: uuid(100),
  os: "Linux",
  os_name: "Linux",
  os_timezone: "Europe/Berlin",
  device_type: "Computer",
  device_is_mobile: false,
  user_custom_id: "u1",
  user_domain_id: null,
};

const GEO = {
  click_id: uuid(100),
  geo_latitude: 52.5,
  geo_longitude: 13.4,
  geo_country: "DE",
  geo_timezone: "Europe/Berlin",
  geo_region_name: "Berlin",
  ip_address: "192.0.2.1",
};
