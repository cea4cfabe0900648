import {
  costOfHop,
  INCREMENT,
  type Line,
  lineThrough,
  refreshHops,
  secondsOf,
  sum,
} from "./fit.ts";
import type { ScaleMeasurements, ScaleRun } from "./measurement.ts";

const MICROS = 1e6;

/** Measured costs of one message; times are microseconds of processor time. */
export interface Costs {
  /** Of the generator's service, until the broker has confirmed. */
  readonly generator: number;
  readonly brokerWrite: number;
  readonly brokerRead: number;
  /** Of the Kafka engine, until the row is stored. */
  readonly reader: number;
  /** Of a new message in an incremental load. */
  readonly increment: number;
  /** Seconds of an incremental load without messages. */
  readonly incrementFixed: number;
  /** Of a message in a full refresh. */
  readonly refresh: Line;
  /** Bytes in the log of one broker. */
  readonly topicBytes: number;
  /** Bytes in the four layers. */
  readonly layerBytes: number;
}

/** @throws Error if no run went through Kafka */
export function costsOf({ runs, kafka }: ScaleMeasurements): Costs {
  const [first, second, last] = runs;
  const through = kafka.at(-1);
  if (!through) throw new Error("The run through Kafka is missing");
  const perMessage = (seconds: number): number => (seconds * MICROS) / through.messages;
  return {
    generator: perMessage(through.generatorCpuSeconds),
    brokerWrite: perMessage(through.brokerCpuSeconds),
    brokerRead: perMessage(through.brokerReadCpuSeconds),
    reader: perMessage(through.readerCpuSeconds),
    ...incrementOf(first, second),
    refresh: lineThrough(first, second, (run) =>
      sum(refreshHops(run).map((hop) => costOfHop(run, hop))),
    ),
    topicBytes: through.bytes / through.messages,
    layerBytes: bytesPerMessage(runs.findLast(({ layers }) => layers.length > 0) ?? last),
  };
}

const bytesPerMessage = ({ layers, messages }: ScaleRun): number =>
  sum(layers.map(({ bytes }) => bytes)) / messages;

/** Processor time of a load of n new messages: the line through two loads of one percent. */
function incrementOf(one: ScaleRun, other: ScaleRun) {
  const [first, second] = [loadOf(one), loadOf(other)];
  const slope = (second.seconds - first.seconds) / (second.messages - first.messages);
  return {
    increment: slope * MICROS,
    incrementFixed: Math.max(0, first.seconds - slope * first.messages),
  };
}

const loadOf = ({ hops, newMessages }: ScaleRun) => ({
  messages: newMessages,
  seconds: sum(hops.filter(({ hop }) => hop.startsWith(INCREMENT)).map(secondsOf)),
});
