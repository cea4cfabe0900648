import { DEFAULT_SIZING } from "../../contract/topics.ts";
import { type Costs, loadSecondsAt } from "./costs.ts";
import { valueAt } from "./fit.ts";

/** What no run can measure. The page that shows the table states it. */
const ASSUMED = {
  /** Messages per second at the busiest time of a day, as a multiple of the day's mean. */
  peak: 2,
  /** Share of a processor that is planned with; the rest is for queries, merges and the unforeseen. */
  usage: 0.5,
  loadsPerDay: 24,
  daysPerMonth: 30,
  retentionDays: 7,
  /** Above this number of messages a day, three replicas instead of one. */
  oneMachine: 100e6,
  /** Cores and disk of one machine with a broker. */
  cores: 32,
  disk: 8e12,
} as const;

/** The stack's defaults, and a disk that is planned for it. */
const DEFAULTS = { databaseCores: 2, disk: 1e12, refreshHours: 8 } as const;

const HOUR = 3600;
const DAY = 24 * HOUR;
const MICROS = 1e6;
/** Share of the messages that are in `browser_events`, the largest topic: of each page event there is one. */
const STREAM_SHARE = 0.43;

/** What a number of messages per day needs; cores are as fast as those that were measured. */
export interface Sizing {
  readonly messagesPerDay: number;
  readonly tier: "embedded or stack" | "stack" | "external";
  readonly brokers: number;
  /** Per topic of events. */
  readonly partitions: number;
  readonly databaseCores: number;
  readonly memoryGiB: number;
  /** Bytes that a month adds to the four layers of one replica, compressed. */
  readonly bytesPerMonth: number;
  /** Of the topics of all brokers together. */
  readonly brokerBytes: number;
  readonly hourlyLoadSeconds: number;
  /** Full refresh of a month. */
  readonly refreshSeconds: number;
  /** Limits of the defaults that it exceeds, the first one first. */
  readonly exceeded: readonly string[];
}

export function sizingOf(costs: Costs, messagesPerDay: number): Sizing {
  const isOne = messagesPerDay <= ASSUMED.oneMachine;
  const replicas = isOne ? 1 : 3;
  const peak = (messagesPerDay / DAY) * ASSUMED.peak;
  const cores = (microsPerMessage: number) => (peak * microsPerMessage) / MICROS / ASSUMED.usage;
  const brokerBytes = messagesPerDay * ASSUMED.retentionDays * costs.topicBytes * replicas;
  const brokerCores = cores(costs.brokerWrite * replicas + costs.brokerRead);
  const databaseCores = Math.max(2, Math.ceil(coresOf(costs, messagesPerDay)));
  return {
    messagesPerDay,
    tier: isOne ? (messagesPerDay <= 10e6 ? "embedded or stack" : "stack") : "external",
    brokers: Math.max(
      replicas,
      Math.ceil(brokerCores / ASSUMED.cores),
      Math.ceil(brokerBytes / ASSUMED.disk),
    ),
    partitions: Math.max(DEFAULT_SIZING.partitions, Math.ceil(cores(costs.reader) * STREAM_SHARE)),
    databaseCores,
    memoryGiB: Math.max(4, 2 * databaseCores),
    bytesPerMonth: messagesPerDay * ASSUMED.daysPerMonth * costs.layerBytes,
    brokerBytes,
    hourlyLoadSeconds: loadSeconds(costs, messagesPerDay, databaseCores),
    refreshSeconds: refreshSeconds(costs, messagesPerDay, databaseCores),
    exceeded: LIMITS.map(({ name, capacity }) => ({ name, capacity: capacity(costs) }))
      .filter(({ capacity }) => capacity < messagesPerDay)
      .sort((one, other) => one.capacity - other.capacity)
      .map(({ name }) => name),
  };
}

/** Processor seconds of a load at the end of a month. */
const loadWork = ({ load }: Costs, perDay: number, perLoad: number): number =>
  loadSecondsAt(load, perDay * ASSUMED.daysPerMonth, perLoad);

const loadSeconds = (costs: Costs, perDay: number, cores: number): number =>
  loadWork(costs, perDay, perDay / ASSUMED.loadsPerDay) / cores / costs.usage.load;

/** Cores for reading and hourly loads at the busiest time, when half of each is planned with. */
function coresOf(costs: Costs, perDay: number): number {
  const perHour = (perDay / ASSUMED.loadsPerDay) * ASSUMED.peak;
  const reading = (perHour * costs.reader) / MICROS;
  return (reading + loadWork(costs, perDay, perHour)) / HOUR / ASSUMED.usage;
}

function refreshSeconds({ refresh, usage }: Costs, perDay: number, cores: number): number {
  const month = perDay * ASSUMED.daysPerMonth;
  return (month * valueAt(refresh, month)) / MICROS / cores / usage.refresh;
}

interface Limit {
  readonly name: string;
  /** Messages per day up to which the defaults suffice. */
  capacity(costs: Costs): number;
}

/** Returns the largest number of messages a day for which a growing value stays below a limit. */
function largest(value: (messagesPerDay: number) => number, limit: number): number {
  let [low, high] = [0, 1e15];
  while (high - low > 1) {
    const middle = (low + high) / 2;
    if (value(middle) <= limit) low = middle;
    else high = middle;
  }
  return low;
}

/** Messages a day of which one core takes the peak, at the planned usage. */
const perCore = (microsPerMessage: number): number =>
  (DAY * MICROS * ASSUMED.usage) / ASSUMED.peak / microsPerMessage;

const LIMITS: readonly Limit[] = [
  {
    name: `${ASSUMED.retentionDays} days in a topic (\`retentionBytes\`)`,
    capacity: ({ topicBytes }) =>
      (DEFAULT_SIZING.retentionBytes * DEFAULT_SIZING.partitions) /
      (topicBytes * STREAM_SHARE * ASSUMED.retentionDays),
  },
  {
    name: `a month on a disk of ${DEFAULTS.disk / 1e12} TB`,
    capacity: ({ layerBytes }) => DEFAULTS.disk / ASSUMED.daysPerMonth / layerBytes,
  },
  {
    name: `${DEFAULTS.databaseCores} cores of the database: reading and hourly loads`,
    capacity: (costs) => largest((perDay) => coresOf(costs, perDay), DEFAULTS.databaseCores),
  },
  {
    name: "one thread that reads a topic for the Kafka engine",
    capacity: ({ reader }) => perCore(reader * STREAM_SHARE),
  },
  {
    name: `a full refresh of a month in ${DEFAULTS.refreshHours} hours on ${DEFAULTS.databaseCores} cores`,
    capacity: (costs) =>
      largest(
        (perDay) => refreshSeconds(costs, perDay, DEFAULTS.databaseCores),
        DEFAULTS.refreshHours * HOUR,
      ),
  },
  {
    name: "one core of the broker",
    capacity: ({ brokerWrite, brokerRead }) => perCore(brokerWrite + brokerRead),
  },
  { name: "one core of the generator", capacity: ({ generator }) => perCore(generator) },
];
