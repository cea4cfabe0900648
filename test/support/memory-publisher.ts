import { emptyBatch, type MessageBatch, type Publisher } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";

export class MemoryPublisher implements Publisher {
  readonly published: MessageBatch = emptyBatch();

  async publish(batch: MessageBatch): Promise<void> {
    for (const stream of STREAMS) {
      const all = this.published[stream];
      // push(...values) fails for a batch that exceeds the maximum number of arguments.
      for (const key of batch[stream].keys) all.keys.push(key);
      for (const value of batch[stream].values) all.values.push(value);
      for (const at of batch[stream].emittedAt) all.emittedAt.push(at);
    }
  }

  async close(): Promise<void> {}
}
