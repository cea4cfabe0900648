import { type MessageBatch, messagesIn } from "../contract/ports.ts";
import {
  BATCH_HISTORY_TOPIC,
  type BatchHistory,
  MANIFEST_TOPIC,
  STATE_TOPIC,
} from "../contract/topics.ts";
import { BatchEncoder, type ControlRecord } from "./encode.ts";
import type { PartitionBatches } from "./produce.ts";

/** Messages per transaction: half of the buffer, so that one fills while another is in flight. */
export const GROUP_MESSAGES = 25_000;

export interface BatchRecords {
  readonly history?: BatchHistory;
  /** State of the instance, any JSON value; replaces the previous state. */
  readonly state?: object;
  readonly manifest?: object;
}

export interface PendingBatch {
  readonly records: BatchRecords;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface Group {
  readonly waiting: readonly PendingBatch[];
  readonly messages: number;
  /** Returns the encoded batches. @throws the error of encoding */
  readonly parts: () => readonly PartitionBatches[];
}

/** Encodes batches on arrival, while the previous transaction is in flight. Never throws. */
export class GroupQueue {
  readonly #newEncoder: () => BatchEncoder;
  /** Created on use: an out-of-memory error must be reported before allocating again. */
  #encoder: BatchEncoder | undefined;
  #full: Group[] = [];
  #waiting: PendingBatch[] = [];
  #messages = 0;

  constructor(partitions: ReadonlyMap<string, number>, epoch: number) {
    this.#newEncoder = () => new BatchEncoder(partitions, epoch);
  }

  add(batch: MessageBatch, waiting: PendingBatch): void {
    this.#waiting.push(waiting);
    this.#messages += messagesIn(batch);
    try {
      this.#encoder ??= this.#newEncoder();
      this.#encoder.add(batch);
    } catch (error) {
      this.#full.push(this.#failed(error));
    }
    if (this.#messages >= GROUP_MESSAGES) this.#full.push(this.#close());
  }

  /** Removes and returns the oldest group; undefined if no group is waiting. */
  take(): Group | undefined {
    return this.#full.shift() ?? (this.#waiting.length > 0 ? this.#close() : undefined);
  }

  /** Removes and returns all groups, so that their callers can be rejected. */
  drop(): Group[] {
    const dropped = [
      ...this.#full,
      this.#failed(new Error("The group was dropped after an earlier failure")),
    ];
    this.#full = [];
    return dropped;
  }

  #close(): Group {
    try {
      const parts = this.#encoder?.take() ?? [];
      return this.#leave(() => parts);
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** Discards the encoder, which may hold part of the group. */
  #failed(error: unknown): Group {
    this.#encoder = undefined;
    return this.#leave(() => {
      throw error;
    });
  }

  #leave(parts: Group["parts"]): Group {
    const group = { waiting: this.#waiting, messages: this.#messages, parts };
    this.#waiting = [];
    this.#messages = 0;
    return group;
  }
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
