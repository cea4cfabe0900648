import { type Growth, growthOfHop, lineThrough, sum, sumOf, valueAt } from "./fit.ts";
import type { Hop, IncrementalLoad, ScaleMeasurements, ScaleRun } from "./measurement.ts";

const MICROS = 1e6;

/** Measured costs of one message; times are microseconds of processor time. */
export interface Costs {
  /** Of the generator's service, until the broker has confirmed. */
  readonly generator: number;
  readonly brokerWrite: number;
  readonly brokerRead: number;
  /** Of the Kafka engine, until the row is stored. */
  readonly reader: number;
  readonly load: LoadCost;
  /** Of a message in a full refresh of n messages. */
  readonly refresh: Growth;
  readonly usage: Usage;
  /** Bytes in the log of one broker. */
  readonly topicBytes: number;
  /** Bytes in the four layers. */
  readonly layerBytes: number;
}

/** Processor time of an incremental load. */
export interface LoadCost {
  /** Of a new message, microseconds. */
  readonly perNew: number;
  /** Seconds without new messages, by the messages of the history, which the checks count. */
  readonly rest: Growth;
}

/** Share of the cores that work keeps busy; the rest of their time it waits. */
interface Usage {
  readonly load: number;
  readonly refresh: number;
}

/** @throws Error if no run went through Kafka */
export function costsOf({ runs, kafka, cores }: ScaleMeasurements): Costs {
  const [first, , last] = runs;
  const through = kafka.at(-1);
  if (!through) throw new Error("The run through Kafka is missing");
  const perMessage = (seconds: number): number => (seconds * MICROS) / through.messages;
  return {
    generator: perMessage(through.generatorCpuSeconds),
    brokerWrite: perMessage(through.brokerCpuSeconds),
    brokerRead: perMessage(through.brokerReadCpuSeconds),
    reader: perMessage(through.readerCpuSeconds),
    load: loadCost(first, last),
    refresh: refreshCost(first, last),
    usage: usageOf(last, cores),
    topicBytes: through.bytes / through.messages,
    layerBytes: sum(last.layers.map(({ bytes }) => bytes)) / last.messages,
  };
}

/** Returns the hops of a run that are steps of a full refresh. */
function refreshSteps({ hops, loads }: ScaleRun): Hop[] {
  const steps = new Set(loads[0]?.hops.map(({ hop }) => hop));
  return hops.filter(({ hop }) => steps.has(hop));
}

const refreshCost = (one: ScaleRun, other: ScaleRun): Growth =>
  sumOf(refreshSteps(other).map(({ hop }) => growthOfHop(hop, one, other)));

function usageOf(run: ScaleRun, cores: number): Usage {
  const usage = (hops: readonly Hop[]): number =>
    sum(hops.map(({ cpuSeconds }) => cpuSeconds)) /
    sum(hops.map(({ wallSeconds }) => wallSeconds)) /
    cores;
  return {
    load: usage(run.loads.slice(-SETTLED).flatMap(({ hops }) => hops)),
    refresh: usage(refreshSteps(run)),
  };
}

/** Returns the cost of a load, from two loads of different size after each of two histories. */
export function loadCost(one: ScaleRun, other: ScaleRun): LoadCost {
  const [few, many] = [settledLoads(one), settledLoads(other)];
  const perNew =
    (few[1].seconds - few[0].seconds + many[1].seconds - many[0].seconds) /
    (few[1].messages - few[0].messages + many[1].messages - many[0].messages);
  const restOf = ([{ messages, seconds }]: Loads): number =>
    Math.max(0, seconds - perNew * messages);
  return {
    perNew: perNew * MICROS,
    rest: lineThrough([one.messages, restOf(few)], [other.messages, restOf(many)]),
  };
}

/** Processor seconds of a load. @param history messages before it @param messages new ones */
export const loadSecondsAt = ({ perNew, rest }: LoadCost, history: number, messages: number) =>
  Math.max(0, valueAt(rest, history)) + (perNew * messages) / MICROS;

type Loads = readonly [Load, Load];

interface Load {
  readonly messages: number;
  readonly seconds: number;
}

/** Loads after the first, which also compares a history that has changed with the truth. */
const SETTLED = 2;

export function settledLoads({ loads }: ScaleRun): Loads {
  const [small, large] = loads.slice(-SETTLED).map(loadOf);
  if (!(small && large)) throw new Error("A run needs two incremental loads");
  return [small, large];
}

const loadOf = ({ newMessages, hops }: IncrementalLoad): Load => ({
  messages: newMessages,
  seconds: sum(hops.map(({ cpuSeconds }) => cpuSeconds)),
});
