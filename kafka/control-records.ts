import type { BatchHistory } from "../contract/batch-history.ts";
import { BATCH_HISTORY_TOPIC, MANIFEST_TOPIC, STATE_TOPIC } from "../contract/topics.ts";
import type { ControlRecord } from "./encode.ts";

export interface BatchRecords {
  readonly history?: BatchHistory;
  /** State of the instance, any JSON value; replaces the previous state. */
  readonly state?: object;
  readonly manifest?: object;
}

/** Encodes histories of a group, and only the last state and manifest. */
export function controlRecords(key: string, group: readonly BatchRecords[]): ControlRecord[] {
  const history = group.flatMap(({ history: record }) =>
    record
      ? [{ topic: BATCH_HISTORY_TOPIC, key: record.batch_id, value: JSON.stringify(record) }]
      : [],
  );
  const latest = [
    { topic: STATE_TOPIC, value: group.findLast(({ state }) => state)?.state },
    { topic: MANIFEST_TOPIC, value: group.findLast(({ manifest }) => manifest)?.manifest },
  ].flatMap(({ topic, value }) => (value ? [{ topic, key, value: JSON.stringify(value) }] : []));
  return [...history, ...latest];
}
