import { beforeEach, describe, expect, it, vi } from "vitest";
import { emptyBatch } from "../../../../contract/ports.ts";
import { KnownRecord } from "../../../../generator/operations/known-record.ts";
import { cleanRecord, type InstanceRecord } from "../../../../generator/operations/record.ts";
import { RetryingPublisher } from "../../../../generator/operations/retrying-publisher.ts";
import { yieldToEvents } from "../../../../generator/run.ts";
import { BrokerError, FencedError, PublishError } from "../../../../kafka/errors.ts";
import { FakeBroker, failed } from "./fake-broker.ts";

const record = (batches: number): InstanceRecord => ({
  ...cleanRecord(),
  phase: "live",
  batches,
  ends: { geo_events: [5] },
});
const outgoing = (batches: number) => ({ batch: emptyBatch(), record: record(batches) });

describe("the publisher that retries", () => {
  let broker: FakeBroker;
  let stop: AbortController;
  /** Confirmed batches, with `!` for each repeat. */
  let confirmed: string[];
  let troubles: string[];
  /** Advances by ten seconds on every read. */
  let time: number;

  beforeEach(() => {
    time = 0;
    broker = new FakeBroker();
    stop = new AbortController();
    [confirmed, troubles] = [[], []];
  });

  /** A sender whose broker holds the batches up to `batches`. */
  async function senderAt(batches: number, inAllMs = 600_000): Promise<RetryingPublisher> {
    if (batches > 0) broker.store(record(batches));
    const known = new KnownRecord(broker.epoch, broker.stored?.value ?? null);
    return new RetryingPublisher(await broker.open(), {
      instance: "test",
      open: broker.open,
      known,
      ends: { geo_events: [5] },
      signal: stop.signal,
      waits: { firstMs: 1, longestMs: 4, inAllMs },
      now: () => (time += 10_000),
      onCommitted: ({ record: { batches: number } }, repeats) =>
        confirmed.push(`${number}${"!".repeat(repeats)}`),
      onFailure: ({ message }) => troubles.push(message),
    });
  }

  const statuses = () =>
    broker.committed.map(({ history }) => `${history?.batch_id.slice(-2)} ${history?.status}`);

  it("commits in order; an empty batch leaves no history", async () => {
    const sender = await senderAt(0);
    const all = [sender.send(outgoing(1)), sender.send({ ...outgoing(2), isSilent: true })];
    await Promise.all(all);
    expect(confirmed).toEqual(["1", "2"]);
    expect(broker.committed.map(({ history }) => history?.status)).toEqual(["success", undefined]);
    expect(broker.committed[0]?.history?.batch_id).toBe("test-7-000000001");
    await sender.close();
  });

  it("records a clean shutdown after the batches in flight", async () => {
    const sender = await senderAt(9);
    void sender.send(outgoing(10));
    await sender.recordShutdown();
    expect(broker.committed.map(({ state }) => state)).toEqual([
      record(10),
      { ...record(10), stopped: true },
    ]);
    expect(broker.committed[1]?.history).toBeUndefined();
    await sender.close();
  });

  it("records nothing at rest if it wrote nothing, or cannot", async () => {
    await (await senderAt(9)).recordShutdown();
    const sender = await senderAt(9);
    await sender.send(outgoing(10));
    broker.fates.push(failed("aborted"));
    stop.abort();
    await sender.recordShutdown();
    expect(broker.committed).toHaveLength(1);
    await sender.close();
  });

  it("retries an aborted attempt with the batches behind it, as the same producer", async () => {
    broker.fates.push(failed("aborted"));
    const sender = await senderAt(0);
    await Promise.all([sender.send(outgoing(1)), sender.send(outgoing(2))]);
    expect(confirmed).toEqual(["1!", "2!"]);
    expect(statuses()).toEqual(["01 partial", "02 partial"]);
    expect(broker.opened).toBe(1);
    expect(troubles).toEqual(["Publishing failed"]);
  });

  it("stores in each record the ends of the topics before it, also after another takeover", async () => {
    const sender = await senderAt(9);
    await sender.send(outgoing(10));
    broker.ends = { geo_events: [0, 7], device_events: [3] };
    broker.fates.push("lost");
    await sender.send(outgoing(11));
    broker.ends = {};
    await sender.send(outgoing(12));
    expect(broker.committed.map(({ state }) => (state as InstanceRecord).ends)).toEqual([
      { geo_events: [5] },
      { geo_events: [5, 7], device_events: [3] },
      { geo_events: [5, 7], device_events: [3] },
    ]);
    expect(confirmed).toEqual(["10", "11!", "12"]);
  });

  it("after several failures in a row, sends nothing ahead of the failed batch", async () => {
    broker.fates.push(failed("aborted"), failed("aborted"), "gone", failed("aborted"));
    const sender = await senderAt(0);
    const first = sender.send(outgoing(1));
    while (troubles.length < 2) await yieldToEvents();
    await Promise.all([first, sender.send(outgoing(2))]);
    expect(confirmed).toEqual(["1!!!!", "2!!"]);
    expect(broker.committed.map(({ state }) => (state as InstanceRecord).batches)).toEqual([1, 2]);
  });

  it("an unknown outcome: confirms committed batches without resending them", async () => {
    broker.fates.push("committed", "lost");
    const sender = await senderAt(9);
    await Promise.all([10, 11].map((n) => sender.send(outgoing(n))));
    await sender.send(outgoing(12));
    expect(confirmed).toEqual(["10", "11!", "12"]);
    expect(broker.committed).toHaveLength(3);
    expect(broker.opened).toBe(2);
  });

  it("an unknown outcome: resends batches that are not committed", async () => {
    broker.fates.push("gone");
    const sender = await senderAt(9);
    await Promise.all([10, 11].map((n) => sender.send(outgoing(n))));
    expect(confirmed).toEqual(["10!", "11!"]);
    expect(broker.committed).toHaveLength(2);
  });

  it("the first batch of an epoch may be lost too", async () => {
    broker.fates.push("gone");
    const sender = await senderAt(0);
    await sender.send(outgoing(1));
    expect(confirmed).toEqual(["1!"]);
  });

  it("waits for a broker that cannot be opened yet, and for one that fails while it answers", async () => {
    broker.fates.push("gone");
    const sender = await senderAt(9);
    broker.openings.push(new Error("not yet"), new Error("nor now"));
    await sender.send(outgoing(10));
    expect(troubles).toEqual(["Publishing failed", "not yet", "nor now"]);
    expect(confirmed).toEqual(["10!"]);
  });

  it("a broker that stays down ends it after a bounded time, with a reason and a hint", async () => {
    broker.fates.push("gone");
    const sender = await senderAt(9, 30_000);
    broker.openings.push(...Array.from({ length: 10_000 }, () => new Error("not yet")));
    const sent = sender.send(outgoing(10));
    await expect(sent).rejects.toBeInstanceOf(BrokerError);
    await expect(sent).rejects.toMatchObject({
      message: expect.stringMatching(
        /^Kafka has accepted no batch for 40 s \(limit: 30 s\).*: not yet$/,
      ),
      hint: expect.stringMatching(/make generator-restart to resume/),
    });
    expect(troubles).toHaveLength(5);
    await expect(sender.send(outgoing(11))).rejects.toBeInstanceOf(BrokerError);
    expect(broker.committed).toEqual([]);
  });

  it("a broker that rejects everything ends it as well; each success restarts the time limit", async () => {
    const sender = await senderAt(9, 30_000);
    for (let number = 10; number < 25; number += 1) {
      broker.fates.push(failed("aborted"), failed("aborted"));
      await sender.send(outgoing(number));
    }
    expect(confirmed).toHaveLength(15);
    broker.fates.push(...Array.from({ length: 10_000 }, () => failed("aborted")));
    await expect(sender.send(outgoing(25))).rejects.toThrow(
      /accepted no batch .*: Publishing failed/,
    );
  });

  it("does not retry a permanent error", async () => {
    broker.fates.push("gone");
    const sender = await senderAt(9);
    const refused = Object.assign(new Error("refused"), { apiId: "SASL_AUTHENTICATION_FAILED" });
    const error = new BrokerError("Kafka cannot be reached: refused", "set a password", refused);
    broker.openings.push(error, error);
    await expect(sender.send(outgoing(10))).rejects.toBe(error);
    expect(broker.openings).toHaveLength(1);
  });

  for (const [what, left] of [
    ["went further", record(20)],
    ["is where this one was, with other content", { ...record(10), checksum: "other" }],
    ["is behind what this one has confirmed", record(8)],
    ["started over", record(0)],
  ] as const) {
    it(`another process ${what}: never continues from a stale state`, async () => {
      const sender = await senderAt(9);
      broker.fates.push("gone");
      const sent = sender.send(outgoing(10));
      broker.store(left);
      await expect(sent).rejects.toThrow(FencedError);
      await expect(sender.send(outgoing(11))).rejects.toThrow(FencedError);
      // A history awaits only its last batch; a later batch must not end the process.
      const unhandled = vi.fn();
      process.on("unhandledRejection", unhandled);
      const late = sender.send(outgoing(12));
      await new Promise((resolve) => setImmediate(resolve));
      process.off("unhandledRejection", unhandled);
      expect(unhandled).not.toHaveBeenCalled();
      await expect(late).rejects.toThrow(FencedError);
      expect(confirmed).toEqual([]);
      expect(broker.committed).toEqual([]);
    });
  }

  it("re-created topics in a new epoch end it", async () => {
    const sender = await senderAt(9);
    broker.fates.push("gone");
    const sent = sender.send(outgoing(10));
    broker.epoch = 8;
    await expect(sent).rejects.toThrow(FencedError);
    await expect(sender.hasRoom()).rejects.toThrow(FencedError);
  });

  it("fenced: fails all queued batches without a further attempt", async () => {
    const sender = await senderAt(9);
    broker.fates.push(new FencedError("test"));
    const sent = [10, 11].map((n) => sender.send(outgoing(n)));
    for (const one of sent) await expect(one).rejects.toThrow(FencedError);
    expect(broker.committed).toEqual([]);
    expect(broker.opened).toBe(1);
  });

  it("error: records what the broker will never accept, without sending it", async () => {
    const sender = await senderAt(9);
    broker.fates.push(failed("aborted", "MESSAGE_TOO_LARGE"));
    const batch = emptyBatch();
    batch.browser.values.push("{}");
    const sent = sender.send({ ...outgoing(10), batch });
    await expect(sent).rejects.toThrow(PublishError);
    await expect(sender.send(outgoing(11))).rejects.toThrow(/MESSAGE_TOO_LARGE/);
    expect(statuses()).toEqual(["10 error"]);
    const [reported] = broker.committed;
    expect(reported?.state).toBeUndefined();
    expect(reported?.history).toMatchObject({
      sent_total: 0,
      sent_browser: 0,
      error_message: "Publishing failed: MESSAGE_TOO_LARGE",
    });
    expect(confirmed).toEqual([]);
  });

  it("error: keeps the reason if recording it fails", async () => {
    const sender = await senderAt(9);
    broker.fates.push(failed("aborted", "TOPIC_AUTHORIZATION_FAILED"), failed("aborted"));
    await expect(sender.send(outgoing(10))).rejects.toThrow(/TOPIC_AUTHORIZATION_FAILED/);
    expect(broker.committed).toEqual([]);
  });

  it("the signal ends the wait; uncommitted batches are never sent", async () => {
    const sender = await senderAt(9);
    broker.fates.push("gone");
    broker.openings.push(new Error("away"));
    const sent = sender.send(outgoing(10));
    stop.abort();
    await expect(sent).rejects.toMatchObject({ name: "AbortError" });
    await sender.close();
    expect(broker.committed).toEqual([]);
  });
});
