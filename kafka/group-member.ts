import { Consumer } from "@platformatic/kafka";
import type { BrokerConnection } from "../contract/broker.ts";
import { clientOptions } from "./client.ts";

/** A dead member's partitions move after this time; librdkafka of the Kafka engine has the same. */
const SESSION_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 2_000;
const REBALANCE_TIMEOUT_MS = 15_000;

/** One member of a consumer group that reads one topic. */
export class GroupMember {
  readonly #consumer: Consumer;
  readonly #topic: string;
  #joins = 0;
  #failure: Error | undefined;

  private constructor(connection: BrokerConnection, groupId: string, topic: string) {
    this.#topic = topic;
    this.#consumer = new Consumer({
      ...clientOptions(connection, "pipeline-ingest"),
      groupId,
      sessionTimeout: SESSION_TIMEOUT_MS,
      heartbeatInterval: HEARTBEAT_MS,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      // With retries the client rejoins within a commit, and repeats it for a topic re-created since.
      retries: 0,
    });
    const fail = (error: Error) => {
      this.#failure ??= error;
    };
    this.#consumer.on("error", fail);
    this.#consumer.on("consumer:heartbeat:stalled", () => fail(new Error("heartbeats failed")));
    this.#consumer.on("consumer:group:join", () => {
      this.#joins += 1;
    });
  }

  /** Joins a group. @throws the client's error */
  static async join(
    connection: BrokerConnection,
    groupId: string,
    topic: string,
  ): Promise<GroupMember> {
    const member = new GroupMember(connection, groupId, topic);
    try {
      member.#consumer.topics.track(topic);
      await member.#consumer.joinGroup();
      return member;
    } catch (error) {
      await member.leave();
      throw error;
    }
  }

  /** Number of completed joins; partitions and generation belong to one of them. */
  get joins(): number {
    return this.#joins;
  }

  /** Throws the error that ended the membership. */
  requireMembership(): void {
    if (this.#failure) throw this.#failure;
  }

  /** Returns the committed offset of each assigned partition; -1 without one. */
  async committed(): Promise<Map<number, bigint>> {
    const topic = this.#topic;
    const partitions = this.#partitions();
    if (partitions.length === 0) return new Map();
    const topics = [{ topic, partitions: [...partitions] }];
    const offsets = (await this.#consumer.listCommittedOffsets({ topics })).get(topic) ?? [];
    return new Map(partitions.map((partition) => [partition, offsets[partition] ?? -1n]));
  }

  /** Commits offsets for the lag; does nothing after another join, because they may be outdated. */
  async commit(joins: number, offsets: ReadonlyMap<number, bigint>): Promise<void> {
    if (joins !== this.#joins || offsets.size === 0) return;
    await this.#consumer.commit({
      offsets: [...offsets].map(([partition, offset]) => ({
        ...{ topic: this.#topic, partition, offset },
        leaderEpoch: -1,
      })),
    });
  }

  async leave(): Promise<void> {
    await this.#consumer.close(true).catch(() => undefined);
  }

  #partitions(): readonly number[] {
    const assigned = this.#consumer.assignments?.find(({ topic }) => topic === this.#topic);
    return assigned?.partitions ?? [];
  }
}
