import {
  airflow,
  generator,
  held,
  off,
  offset,
  on,
  pipeline,
  type RuleCase,
  type Series,
  series,
  topic,
  watching,
} from "./case.ts";

/** Three hours: longer than every window except the longest. */
const LATE_MINUTE = 170;
const heldUntil = (name: string, value: string, minutes: number): Series => ({
  series: name,
  values: `${value}x${minutes * 4} _x${(180 - minutes) * 4}`,
});
const late = (one: RuleCase): RuleCase => ({ ...one, atMinute: LATE_MINUTE });
const pipelineUp = held('up{job="pipeline",instance="one"}', 1);
const partition = `${topic},partition="0"`;
const oldest = series("broker", "kafka_topic_partition_oldest_offset", partition);
const typed = pipeline("messages", 'stream="browser",state="typed"');
const marked = pipeline("markedMessages", 'stream="browser",reason="late_event"');

const up = held('up{job="scheduler",instance="one"}', 1);
/** Another process from minute 40 on. */
const restarted: Series = {
  series: series("scheduler", "process_start_time_seconds"),
  values: "1000x160 3000x80",
};
/** Minutes before the 50th at which the cases are checked. */
const lastBatchAgo = (minutes: number): Series =>
  held(generator("lastSuccess"), (50 - minutes) * 60);
const failures = (values: string): Series => ({ series: airflow("ti_failures"), values });

/**
 * A stack that was down from minute 10 to 110 and kept its volumes. Then Prometheus scrapes itself
 * at once, and the generator starts a minute later or not at all.
 */
const afterGap = (firing: number, atMinute: number, about: string, comesBack = true): RuleCase => {
  const start = series("prometheus", "process_start_time_seconds");
  const again = (values: string): string => (comesBack ? ` ${values}x275` : " _x275");
  const input = [
    { series: start, values: "1x40 _x398 6595x280" },
    { series: generator("due"), values: `1x40 _x403${again("1")}` },
    { series: generator("startedAt"), values: `1x40 _x403${again("6650")}` },
    { series: generator("lastSuccess"), values: `1+15x40 _x403${again("6660+15")}` },
  ];
  return { rule: "GeneratorSilent", firing, atMinute, about: `up again: ${about}`, input };
};

/** Three hours in which 240 messages are loaded per hour. */
const loading: Series = { series: typed, values: "0+1x720" };
const missing = pipeline("missingMessages", 'stream="location",reason="location_not_found"');
const missingCase = (
  firing: typeof on | typeof off,
  about: string,
  values: string,
  loaded = loading,
): RuleCase =>
  late(
    firing(
      "PipelineErrorShareHigh",
      about,
      loaded,
      { series: missing, values },
      {
        ...pipelineUp,
        values: "1x720",
      },
    ),
  );

/** Messages that did not come. */
const missingCases: readonly RuleCase[] = [
  missingCase(on, "20 locations became missing in an hour", "7x480 27x240"),
  missingCase(on, "20 locations are missing since the metric began", "_x600 20x120"),
  missingCase(off, "10 locations became missing in an hour", "7x480 17x240"),
  missingCase(off, "missing locations arrive late", "5000-1x720"),
  missingCase(off, "a new epoch, with missing locations of the previous one", "5000x720", {
    series: typed,
    values: "0+1x600 0+1x120",
  }),
];

/** Services that are down for hours, that never existed, or that were not scraped for a while. */
export const lateCases: readonly RuleCase[] = [
  ...missingCases,
  late(
    on(
      "GeneratorSilent",
      "dead for hours",
      { ...watching, values: "1x720" },
      heldUntil(generator("lastSuccess"), "1+15", 10),
      heldUntil(generator("startedAt"), "1+0", 10),
      heldUntil(generator("due"), "1", 10),
    ),
  ),
  late(
    on(
      "BrokerNoMessagesProduced",
      "the generator is dead for hours",
      { series: offset, values: "9x720" },
      heldUntil(generator("due"), "1", 10),
    ),
  ),
  on(
    "GeneratorSilent",
    "due, and never a batch since it started",
    watching,
    held(generator("lastSuccess"), 0),
    held(generator("startedAt"), 1),
    held(generator("due"), 1),
  ),
  ...[
    off("GeneratorSilent", "silent for less than two ticks of ten minutes", lastBatchAgo(15)),
    on("GeneratorSilent", "silent for more than two ticks of ten minutes", lastBatchAgo(21)),
  ].map((one) => ({
    ...one,
    input: [...one.input, watching, held(generator("due"), 1), held(generator("tickSeconds"), 600)],
  })),
  off(
    "GeneratorSilent",
    "started a minute ago",
    watching,
    held(generator("lastSuccess"), 0),
    held(generator("startedAt"), 49 * 60),
    held(generator("due"), 1),
  ),
  off(
    "GeneratorSilent",
    "resumed a minute ago, after an hour of pause",
    watching,
    held(generator("lastSuccess"), 1),
    held(generator("startedAt"), 1),
    { series: generator("due"), values: "0x195 1x40" },
  ),
  ...[
    [0, 109, "before Prometheus has asked itself"],
    [0, 110, "before the generator has been asked"],
    [0, 115, "a generator that comes back"],
  ].map(([firing, atMinute, about]) => afterGap(Number(firing), Number(atMinute), String(about))),
  ...[
    [0, 111, "a minute after"],
    [1, 113, "three minutes after, and it does not come back"],
  ].map(([firing, atMinute, about]) =>
    afterGap(Number(firing), Number(atMinute), String(about), false),
  ),
  on(
    "BrokerMessagesStuck",
    "stg holds nothing of the epoch",
    held(offset, 601),
    held(oldest, 100),
    pipelineUp,
  ),
  off(
    "BrokerMessagesStuck",
    "stg holds nothing, but what there was has left the broker",
    held(offset, 601),
    held(oldest, 601),
    pipelineUp,
  ),
  off(
    "BrokerMessagesStuck",
    "the content of stg is unknown",
    held(offset, 601),
    held(oldest, 100),
    held('up{job="pipeline",instance="one"}', 0),
  ),
  ...[1, 0].map((seconds) =>
    (seconds > 0 ? on : off)(
      "PipelineMartsStale",
      `never built, a day and ${seconds} s after the first message`,
      held(pipeline("newestIngestion", 'layer="stg"'), 24 * 3600 + 1000 + seconds),
      held(pipeline("oldestIngestion", 'layer="stg"'), 1000),
    ),
  ),
  late(
    off(
      "GeneratorSilent",
      "paused, then its process ended",
      { ...watching, values: "1x720" },
      heldUntil(generator("lastSuccess"), "1", 10),
      heldUntil(generator("startedAt"), "1", 10),
      { series: generator("due"), values: "1x20 0x20 _x680" },
    ),
  ),
  off("SchedulerTaskFailures", "an old failure, seen again after a gap", {
    series: airflow("ti_failures"),
    values: "37x100 _x88 37x40",
  }),
  on("SchedulerTaskFailures", "a failure during a gap", {
    series: airflow("ti_failures"),
    values: "37x100 _x88 38x40",
  }),
  on("SchedulerTaskFailures", "the first failure after the exporter started over", {
    series: airflow("ti_failures"),
    values: "37x100 _x88 1x40",
  }),
  ...[
    [43, "a failure since the restart, as many as before it"],
    [56, "as many as before the restart, a quarter of an hour after it"],
  ].map(([atMinute, about]) => ({
    ...on("SchedulerTaskFailures", String(about), up, restarted, failures("1x240")),
    firing: atMinute === 43 ? 1 : 0,
    atMinute: Number(atMinute),
  })),
  {
    ...on(
      "SchedulerTaskFailures",
      "the first failure, an hour after a restart",
      { series: up.series, values: "1x720" },
      { series: restarted.series, values: "1000x400 30000x320" },
      failures("1x380 _x280 1x60"),
    ),
    atMinute: 167,
  },
  late(
    on(
      "PipelineErrorShareHigh",
      "the same dataset, loaded again",
      { series: typed, values: "1000x600 0x4 1000x116" },
      { series: marked, values: "100x600 _x4 100x116" },
    ),
  ),
  late(
    on(
      "PipelineErrorShareHigh",
      "a producer that broke, after long health",
      { series: typed, values: "1000000x600 1000500x120" },
      { series: marked, values: "10x600 510x120" },
    ),
  ),
  late(
    off(
      "PipelineErrorShareHigh",
      "broken once, whole since hours",
      { series: typed, values: "1000000x400 1000500x320" },
      { series: marked, values: "900000x720" },
    ),
  ),
  off("PipelineErrorShareHigh", "too few messages for a share", held(typed, 99), held(marked, 50)),
];
