import type { BatchHistory } from "../../contract/batch-history.ts";
import type { MessageBatch } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";

export interface SentBatch {
  readonly instance: string;
  readonly epoch: number;
  readonly number: number;
  readonly batch: MessageBatch;
  readonly startedAt: Date;
  readonly failures: readonly string[];
}

export function historyOf(sent: SentBatch): BatchHistory {
  const [sent_browser, sent_location, sent_device, sent_geo] = STREAMS.map(
    (stream) => sent.batch[stream].values.length,
  ) as [number, number, number, number];
  return {
    batch_id: `${sent.instance}-${sent.epoch}-${String(sent.number).padStart(9, "0")}`,
    started_at: sent.startedAt.toISOString(),
    finished_at: new Date().toISOString(),
    sent_total: sent_browser + sent_location + sent_device + sent_geo,
    sent_browser,
    sent_location,
    sent_device,
    sent_geo,
    status: sent.failures.length === 0 ? "success" : "partial",
    error_message: sent.failures.at(-1) ?? "",
  };
}

export const errorOf = (sent: SentBatch, reason: string): BatchHistory => ({
  ...historyOf(sent),
  sent_total: 0,
  sent_browser: 0,
  sent_location: 0,
  sent_device: 0,
  sent_geo: 0,
  status: "error",
  error_message: reason,
});
