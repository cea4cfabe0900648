import { type Admin, protocolErrors, ResponseError } from "@platformatic/kafka";
import { expect, test } from "vitest";
import { FencedError, PublishError } from "../../../kafka/errors.ts";
import { encodeHeader, RecordBuilder } from "../../../kafka/records.ts";
import { TransactionalProducer } from "../../../kafka/transaction.ts";

type Request = "produce" | "initialise" | "add" | "end";

const KEYS: Readonly<Record<number, Request>> = {
  0: "produce",
  22: "initialise",
  24: "add",
  26: "end",
};

/** Requests of one attempt; the next one aborts first if the last one failed. */
const ATTEMPT: readonly Request[] = ["initialise", "add", "produce", "end"];

/** A broker that gives its next answers to a request as error codes, then succeeds. */
class Broker {
  readonly requests: Request[] = [];
  readonly #refusals: Partial<Record<Request, string[]>>;
  #producers = 0n;

  constructor(refusals: Partial<Record<Request, string[]>>) {
    this.#refusals = refusals;
  }

  get client(): Admin {
    const connection = { send: this.#send };
    return {
      clearMetadata: () => undefined,
      metadata: async ({ topics }: { topics: string[] }) => ({
        topics: new Map(topics.map((topic) => [topic, { partitions: [{ leader: 1 }] }])),
      }),
      findCoordinator: async () => [{ host: "broker", port: 9092 }],
      connectToBrokers: async () => new Map([[1, connection]]),
      connections: { get: async () => connection },
    } as unknown as Admin;
  }

  readonly #send = (...args: unknown[]): void => {
    const [key, version] = args as [number, number];
    const done = args.at(-1) as (error: Error | null, answer?: unknown) => void;
    const request = KEYS[key];
    if (!request) throw new Error(`unexpected request ${key}`);
    this.requests.push(request);
    const refusal = this.#refusals[request]?.shift();
    if (refusal) {
      const codes = { "/": [protocolErrors[refusal]?.code, null] } as const;
      done(new ResponseError(key, version, codes as never, {}));
      return;
    }
    if (request === "initialise") this.#producers += 1n;
    const partitionResponses = [{ index: 0, baseOffset: 7n }];
    done(null, {
      producerId: this.#producers,
      producerEpoch: 0,
      responses: [{ name: "geo_events", partitionResponses }],
    });
  };
}

const parts = () => {
  const builder = new RecordBuilder();
  builder.add("key", "{}", { bytes: encodeHeader("epoch", "1"), count: 1 }, 1_767_225_600_000);
  return [{ topic: "geo_events", partition: 0, batches: builder.take() }];
};

const producerOn = (
  broker: Broker,
  options: Partial<ConstructorParameters<typeof TransactionalProducer>[1]> = {},
) =>
  new TransactionalProducer(broker.client, {
    transactionalId: "event-pipeline-test",
    patienceMs: 0,
    ...options,
  });

test.each([
  "CONCURRENT_TRANSACTIONS",
  "COORDINATOR_NOT_AVAILABLE",
  "NOT_COORDINATOR",
  "REQUEST_TIMED_OUT",
  "UNKNOWN_SERVER_ERROR",
])("a commit answered with %s may have happened, so nothing is written again", async (code) => {
  const broker = new Broker({ end: [code] });
  const producer = producerOn(broker);
  const failure = await producer.commit(parts()).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(PublishError);
  expect(failure).toMatchObject({
    outcome: "unknown",
    topics: { geo_events: 1 },
    message: expect.stringMatching(/the outcome of the transaction is unknown$/),
  });
  const sent = [...broker.requests];
  await expect(producer.commit(parts())).rejects.toBe(failure);
  expect(broker.requests).toEqual(sent);
});

test.each([
  "INVALID_PRODUCER_ID_MAPPING",
  "INVALID_TXN_STATE",
  "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
  "TRANSACTION_ABORTABLE",
])("a commit refused with %s has not happened, so a new producer repeats it", async (code) => {
  const broker = new Broker({ end: [code] });
  const producer = producerOn(broker);
  await expect(producer.commit(parts())).rejects.toMatchObject({ outcome: "aborted" });
  expect(producer.ends).toEqual({});
  await producer.commit(parts());
  expect(broker.requests).toEqual([...ATTEMPT, "end", ...ATTEMPT]);
  expect(producer.ends).toEqual({ geo_events: [8] });
});

test("messages that the broker refuses are aborted before the next attempt", async () => {
  const broker = new Broker({ produce: ["NOT_ENOUGH_REPLICAS"] });
  const producer = producerOn(broker);
  await expect(producer.commit(parts())).rejects.toMatchObject({ outcome: "aborted" });
  await producer.commit(parts());
  expect(broker.requests).toEqual([...ATTEMPT, ...ATTEMPT]);
});

test("the same producer continues after a commit", async () => {
  const broker = new Broker({});
  const producer = producerOn(broker);
  await producer.commit(parts());
  await producer.commit(parts());
  expect(broker.requests.filter((request) => request === "initialise")).toHaveLength(1);
});

test.each(["PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"])(
  "%s means another producer within the transaction timeout, and an unknown outcome after it",
  async (code) => {
    const soon = producerOn(new Broker({ end: [code] }));
    await expect(soon.commit(parts())).rejects.toThrow(FencedError);
    const late = producerOn(new Broker({ end: [code] }), { timeoutMs: 0 });
    await expect(late.commit(parts())).rejects.toMatchObject({ outcome: "unknown" });
  },
);

const PATIENT = { patienceMs: 60_000 };

test("a failed attempt is reported and repeated", async () => {
  const broker = new Broker({ produce: ["NOT_ENOUGH_REPLICAS"] });
  const failures: PublishError[] = [];
  const onFailure = (failure: PublishError) => failures.push(failure);
  const producer = producerOn(broker, { ...PATIENT, onFailure });
  await producer.open();
  await producer.commit([]);
  expect(broker.requests).toEqual(["initialise"]);
  await producer.commit(parts());
  expect(broker.requests).toEqual([...ATTEMPT, ...ATTEMPT]);
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^Publishing to geo_events failed: .*replicas/),
  ]);
});

test.each([
  ["a message that is too large is not sent again", "MESSAGE_TOO_LARGE", {}, 1],
  ["attempts end with their number", "NOT_ENOUGH_REPLICAS", { attempts: 2 }, 2],
])("%s", async (_, code, options, attempts) => {
  const broker = new Broker({ produce: [code, code, code] });
  const producer = producerOn(broker, { ...PATIENT, ...options });
  await expect(producer.commit(parts())).rejects.toMatchObject({ outcome: "aborted" });
  expect(broker.requests.filter((request) => request === "produce")).toHaveLength(attempts);
});

test.each([
  "BROKER_NOT_AVAILABLE",
  "CONCURRENT_TRANSACTIONS",
  "COORDINATOR_LOAD_IN_PROGRESS",
  "COORDINATOR_NOT_AVAILABLE",
  "NETWORK_EXCEPTION",
  "NOT_COORDINATOR",
  "REQUEST_TIMED_OUT",
])("the coordinator is asked again after %s, in the same attempt", async (code) => {
  const broker = new Broker({ add: [code], end: [code] });
  await producerOn(broker, PATIENT).commit(parts());
  expect(broker.requests).toEqual(["initialise", "add", "add", "produce", "end", "end"]);
});

test("an abort counts as done where no transaction was open, else its error stops the next attempt", async () => {
  const refused: string[] = ["NOT_ENOUGH_REPLICAS"];
  const none = producerOn(
    new Broker({ produce: refused.slice(), end: ["INVALID_TXN_STATE"] }),
    PATIENT,
  );
  await none.commit(parts());
  const denied = "TRANSACTIONAL_ID_AUTHORIZATION_FAILED";
  const broker = new Broker({ produce: refused.slice(), end: [denied, denied] });
  await expect(producerOn(broker, PATIENT).commit(parts())).rejects.toThrow(/authoriz/i);
  expect(broker.requests).toEqual([...ATTEMPT.slice(0, 3), "end"]);
});
