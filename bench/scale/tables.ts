/** Tables of the measurements, for the terminal and for docs/explanation/scaling.md. */
import { formatCount } from "../../terminal/format.ts";
import { costsOf, loadCost, loadSecondsAt, settledLoads } from "./costs.ts";
import { costOfHop, hopNames, type Prediction, predict, sum, totalOf } from "./fit.ts";
import type { KafkaRun, ScaleMeasurements, ScaleRun } from "./measurement.ts";
import { type Sizing, sizingOf } from "./sizing.ts";

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const million = (messages: number): string => `${(messages / 1e6).toFixed(1)} M`;
const micros = (value: number): string => value.toFixed(2);

/** False for a hop below a thousandth of the work, which the tables leave out. */
const matters = ({ measured }: Prediction): boolean => measured >= 0.02;

const percent = (predicted: number, measured: number): string =>
  `${Math.round((predicted / measured - 1) * 100)} %`;

const predictionHead = (unit: string, [one, other, last]: ScaleMeasurements["runs"]): string[] => [
  unit,
  million(one.messages),
  million(other.messages),
  `${million(last.messages)}, predicted`,
  "measured",
  "error",
];

/** Time per message of every hop, and what the first two runs predict for the third. */
export function predictionTable({ runs }: ScaleMeasurements): Table {
  const predictions = predict(runs);
  const line = ({ hop, predicted, measured }: Prediction, costOf: (run: ScaleRun) => number) => [
    hop,
    ...runs.slice(0, 2).map((run) => micros(costOf(run))),
    micros(predicted),
    micros(measured),
    percent(predicted, measured),
  ];
  const total = (run: ScaleRun): number => sum(hopNames(run).map((hop) => costOfHop(run, hop)));
  const [one, other, last] = runs.map((run) => micros(clockOf(run)));
  return {
    head: predictionHead("µs of processor time per message", runs),
    rows: [
      ...predictions.filter(matters).map((each) => line(each, (run) => costOfHop(run, each.hop))),
      line(totalOf(predictions), total),
      ["all hops, by the clock", one ?? "", other ?? "", "", last ?? "", ""],
    ],
  };
}

/** Microseconds per message by the clock. */
const clockOf = ({ hops, messages }: ScaleRun): number =>
  (sum(hops.map(({ wallSeconds }) => wallSeconds)) * 1e6) / messages;

/** Processor time of the incremental loads, and what the first two runs predict for the third. */
export function loadTable({ runs }: ScaleMeasurements): Table {
  const [one, other, last] = runs;
  const cost = loadCost(one, other);
  const seconds = (value: number): string => value.toFixed(1);
  return {
    head: predictionHead("seconds of processor time of a load", runs),
    rows: [0, 1].map((index) => {
      const measured = runs.map((run) => settledLoads(run)[index]);
      const { messages = 0, seconds: ofLast = 0 } = measured[2] ?? {};
      const predicted = loadSecondsAt(cost, last.messages, messages);
      return [
        `${Math.round((100 * messages) / last.messages)} % more`,
        ...measured.slice(0, 2).map((load) => seconds(load?.seconds ?? 0)),
        seconds(predicted),
        seconds(ofLast),
        percent(predicted, ofLast),
      ];
    }),
  };
}

/** Peak memory of every hop, MiB. */
export function memoryTable({ runs }: ScaleMeasurements): Table {
  const mib = (value = 0): string => formatCount(Math.round(value));
  const peak = ({ hops }: ScaleRun, hop: string) => hops.find((each) => each.hop === hop)?.peakMiB;
  const ofLoads = ({ loads }: ScaleRun) =>
    Math.max(...loads.flatMap(({ hops }) => hops.map(({ peakMiB }) => peakMiB)));
  return {
    head: ["peak of memory, MiB", ...runs.map(({ messages }) => million(messages))],
    rows: [
      ...predict(runs)
        .filter(matters)
        .map(({ hop }) => [hop, ...runs.map((run) => mib(peak(run, hop)))]),
      ["incremental loads", ...runs.map((run) => mib(ofLoads(run)))],
    ],
  };
}

/** Costs of the hops through Kafka. */
export function kafkaTable({ kafka }: ScaleMeasurements): Table {
  const row = (name: string, value: (run: KafkaRun) => string) => [name, ...kafka.map(value)];
  const each = (name: string, seconds: (run: KafkaRun) => number) =>
    row(`${name}, µs per message`, (run) => micros((seconds(run) * 1e6) / run.messages));
  return {
    head: ["through Kafka", ...kafka.map(({ messages }) => million(messages))],
    rows: [
      each("generator, confirmed by the broker", ({ generatorCpuSeconds }) => generatorCpuSeconds),
      each("broker, writing", ({ brokerCpuSeconds }) => brokerCpuSeconds),
      each("broker, reading", ({ brokerReadCpuSeconds }) => brokerReadCpuSeconds),
      each("Kafka engine until stored", ({ readerCpuSeconds }) => readerCpuSeconds),
      row("bytes per message in the topics", (run) => (run.bytes / run.messages).toFixed(0)),
      row("memory of the generator, MiB", ({ generatorMiB }) => generatorMiB.toFixed(0)),
      row("memory of the broker, MiB", ({ brokerMiB }) => brokerMiB.toFixed(0)),
    ],
  };
}

const PER_DAY = [1e6, 100e6, 1e9, 10e9] as const;

/** What a number of messages per day needs. */
export function sizingTable(measured: ScaleMeasurements): Table {
  const costs = costsOf(measured);
  return {
    head: [
      "messages per day",
      "tier",
      "brokers",
      "partitions",
      "cores of ClickHouse",
      "memory, at least",
      "disk per month",
      "topics on disk",
      "hourly load",
      "full refresh of a month",
      "limits of the defaults that it exceeds, the first one first",
    ],
    rows: PER_DAY.map((perDay) => sizingLine(sizingOf(costs, perDay))),
  };
}

const sizingLine = (sizing: Sizing): string[] => [
  formatCount(sizing.messagesPerDay),
  sizing.tier,
  String(sizing.brokers),
  String(sizing.partitions),
  String(sizing.databaseCores),
  `${sizing.memoryGiB} GiB`,
  bytes(sizing.bytesPerMonth),
  bytes(sizing.brokerBytes),
  duration(sizing.hourlyLoadSeconds),
  duration(sizing.refreshSeconds),
  sizing.exceeded.join("; ") || "none",
];

function bytes(count: number): string {
  if (count >= 1e12) return `${(count / 1e12).toFixed(1)} TB`;
  return `${Math.max(1, Math.round(count / 1e9))} GB`;
}

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 72 * 3600) return `${Math.round(seconds / 3600)} h`;
  // So far beyond the measured sizes only the order of magnitude counts.
  return seconds < 31 * 86_400 ? `${Math.round(seconds / 86_400)} days` : "more than a month";
}
