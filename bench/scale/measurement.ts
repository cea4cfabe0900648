/** Cost of one hop. */
export interface Hop {
  readonly hop: string;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** Peak of the process's memory during the hop, MiB. */
  readonly peakMiB: number;
  /** Processor seconds of fixed work, the mean of before and after the hop. */
  readonly referenceSeconds: number;
  /** What differs from the other hops of the record. */
  readonly note?: string;
}

export interface LayerSize {
  readonly layer: string;
  /** Compressed bytes on disk after all merges. */
  readonly bytes: number;
}

/** One run of the whole pipeline on the embedded engine. */
export interface ScaleRun {
  readonly messages: number;
  readonly days: number;
  readonly hops: readonly Hop[];
  readonly layers: readonly LayerSize[];
  readonly loads: readonly IncrementalLoad[];
}

/** Load of messages that were added to the history; its hops are the steps. */
export interface IncrementalLoad {
  readonly newMessages: number;
  readonly hops: readonly Hop[];
}

/** One history through Kafka; times are processor seconds. */
export interface KafkaRun {
  readonly messages: number;
  readonly generatorCpuSeconds: number;
  readonly generatorMiB: number;
  /** Of the broker while the generator publishes. */
  readonly brokerCpuSeconds: number;
  /** Of the broker while the database reads. */
  readonly brokerReadCpuSeconds: number;
  /** Of the Kafka engine until the last row is stored. */
  readonly readerCpuSeconds: number;
  readonly brokerMiB: number;
  /** Processor seconds of the fixed work, the least of before, between and after. */
  readonly referenceSeconds: number;
  /** Size of the messages on the disk of one broker. */
  readonly bytes: number;
}

/** Content of bench/results/scale.json. */
export interface ScaleMeasurements {
  readonly date: string;
  /** Of the machine. */
  readonly cores: number;
  /** About 10, 30 and 100 million messages. */
  readonly runs: readonly [ScaleRun, ScaleRun, ScaleRun];
  readonly kafka: readonly KafkaRun[];
}
