import type { Admin, ClusterMetadata } from "@platformatic/kafka";

type Labels = Readonly<Record<string, string | number>>;

const line = (name: string, labels: Labels, value: number | bigint): string =>
  `${name}{${Object.entries(labels)
    .map(([key, text]) => `${key}=${JSON.stringify(String(text))}`)
    .join(",")}} ${value}\n`;

const EARLIEST = -2n;
const LATEST = -1n;

type Offsets = ReadonlyMap<string, ReadonlyMap<number, bigint>>;

/** Collects metrics with kafka_exporter's names and labels. */
export async function collect(admin: Admin): Promise<{ brokers: number; text: string }> {
  // Without Kafka's internal topics, which the client does not list and no panel uses.
  const topics = await admin.listTopics();
  const metadata = await admin.metadata({ topics, forceUpdate: true });
  const newest = await offsetsOf(admin, metadata, LATEST);
  const oldest = await offsetsOf(admin, metadata, EARLIEST);
  return {
    brokers: metadata.brokers.size,
    text: topicLines(metadata, newest, oldest) + (await groupLines(admin, newest)),
  };
}

async function offsetsOf(
  admin: Admin,
  metadata: ClusterMetadata,
  timestamp: bigint,
): Promise<Offsets> {
  const answers = await admin.listOffsets({
    topics: [...metadata.topics].map(([name, { partitions }]) => ({
      name,
      partitions: partitions.map((_, partitionIndex) => ({ partitionIndex, timestamp })),
    })),
  });
  return new Map(
    answers.map(({ name, partitions }) => [
      name,
      new Map(partitions.map(({ partitionIndex, offset }) => [partitionIndex, offset])),
    ]),
  );
}

function topicLines({ topics }: ClusterMetadata, newest: Offsets, oldest: Offsets): string {
  return [...topics]
    .flatMap(([topic, { partitions }]) => [
      line("kafka_topic_partitions", { topic }, partitions.length),
      ...partitions.flatMap(({ leader, isr, replicas }, partition) => {
        const labels = { topic, partition };
        const current = newest.get(topic)?.get(partition) ?? 0n;
        return [
          line("kafka_topic_partition_current_offset", labels, current),
          line(
            "kafka_topic_partition_oldest_offset",
            labels,
            oldest.get(topic)?.get(partition) ?? 0n,
          ),
          line("kafka_topic_partition_leader", labels, leader),
          line("kafka_topic_partition_replicas", labels, replicas.length),
          line("kafka_topic_partition_in_sync_replica", labels, isr.length),
          line("kafka_topic_partition_leader_is_preferred", labels, leader === replicas[0] ? 1 : 0),
          line(
            "kafka_topic_partition_under_replicated_partition",
            labels,
            isr.length < replicas.length ? 1 : 0,
          ),
        ];
      }),
    ])
    .join("");
}

async function groupLines(admin: Admin, newest: Offsets): Promise<string> {
  const names = [...(await admin.listGroups()).keys()];
  if (names.length === 0) return "";
  const groups = await admin.describeGroups({ groups: names });
  const lines: string[] = [];
  for (const [consumergroup, { members }] of groups) {
    lines.push(line("kafka_consumergroup_members", { consumergroup }, members.size));
    // Only groups with members have assigned partitions, for which offsets are queried.
    if (members.size > 0) lines.push(await offsetLines(admin, consumergroup, newest));
  }
  return lines.join("");
}

async function offsetLines(admin: Admin, consumergroup: string, newest: Offsets): Promise<string> {
  const [answer] = await admin.listConsumerGroupOffsets({ groups: [consumergroup] });
  return (answer?.topics ?? [])
    .flatMap(({ name: topic, partitions }) => {
      const committed = partitions.map(({ partitionIndex: partition, committedOffset }) => {
        const end = newest.get(topic)?.get(partition) ?? 0n;
        const lag = committedOffset < 0n ? -1n : end - committedOffset;
        return { labels: { consumergroup, topic, partition }, committedOffset, lag };
      });
      const sum = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n);
      return [
        ...committed.flatMap(({ labels, committedOffset, lag }) => [
          line("kafka_consumergroup_current_offset", labels, committedOffset),
          line("kafka_consumergroup_lag", labels, lag),
        ]),
        line(
          "kafka_consumergroup_current_offset_sum",
          { consumergroup, topic },
          sum(committed.map(({ committedOffset }) => committedOffset)),
        ),
        line(
          "kafka_consumergroup_lag_sum",
          { consumergroup, topic },
          sum(committed.map(({ lag }) => lag)),
        ),
      ];
    })
    .join("");
}
