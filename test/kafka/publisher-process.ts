/**
 * Publishes numbered messages up to a total, resuming from the stored state:
 * `publisher-process.ts BOOTSTRAP TOTAL PER_BATCH`. Exits with 0 when all are committed.
 */
import { STATE_TOPIC } from "../../contract/topics.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { connectionTo } from "./connection.ts";
import { numbered } from "./messages.ts";

const [bootstrap = "", total = "0", perBatch = "0"] = process.argv.slice(2);
const publisher = await KafkaPublisher.open({
  connection: connectionTo(bootstrap),
  instance: "process",
});
const stored = await publisher.readLatest(STATE_TOPIC);
let next = stored ? (JSON.parse(stored.value) as { next: number }).next : 0;
console.log(`from ${next}`);
while (next < Number(total)) {
  const count = Number(perBatch);
  // One batch is in flight while the next is encoded, so that a kill hits both.
  await publisher.hasRoom();
  publisher.publishBatch(numbered(next, count), { state: { next: next + count } });
  next += count;
  if (next % (count * 3) === 0) await publisher.flush();
}
await publisher.close();
