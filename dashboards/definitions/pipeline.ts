import { boundOf, type Dashboard, lines, stacked, stat } from "../dashboard.ts";
import { broker } from "../signals/broker.ts";
import { databaseState } from "../signals/database.ts";
import { generator } from "../signals/generator.ts";
import { pipeline, targets } from "../signals/pipeline.ts";
import { scheduler } from "../signals/scheduler.ts";
import { DASHBOARD_UIDS } from "../uids.ts";

const { generated, brokered, staged, typed, integrated } = pipeline;

export const pipelineDashboard: Dashboard = {
  uid: DASHBOARD_UIDS.pipeline,
  title: "Event pipeline",
  about:
    "Whether events flow from the generator to the marts, where they are stuck and what to do.",
  job: "pipeline",
  rows: [
    {
      title: "At a glance",
      panels: [
        stat(targets.down, { width: 8 }),
        stat(pipeline.freshness, { width: 16, bound: boundOf(pipeline.martAge) }),
        stat(pipeline.unaccounted),
        stat(pipeline.orphans),
        stat(pipeline.stuck, { title: "Between broker and stg" }),
        // The panel is empty during standby, which is not a fault.
        stat(generator.silenceWhileEnabled, { title: "Generator silent" }),
        stat(broker.brokersUp),
        stat(databaseState.diskFree),
      ],
    },
    {
      title: "Hop by hop",
      panels: [
        lines("Events per minute by hop", [generated, brokered, staged, typed, integrated], {
          width: 16,
          height: 9,
          note: "Generator and stg should have the same rate. The broker also counts transaction markers. ods and dds grow in bursts, one per run of the batch process.",
        }),
        stacked("Messages by state", [pipeline.states], { height: 9 }),
        lines("Lag of active groups", [broker.lag]),
        lines("Marts behind stg", [pipeline.martAge]),
        lines("Last DAG runs", [scheduler.runs]),
        lines("Behind the clock", [generator.modelLag, pipeline.eventAge], {
          width: 24,
          note: "Model time lags by what the history took to write and to load, and keeps that lag. The rest is the wait for a load.",
        }),
      ],
    },
    {
      title: "Quality",
      panels: [
        lines("Marked messages by reason", [pipeline.errorsByReason], { width: 12 }),
        lines("Share of marked messages by reason", [pipeline.errorShare], { width: 12 }),
      ],
    },
    {
      title: "Room and targets",
      panels: [
        lines("Rows by layer", [pipeline.rows]),
        lines("Targets", [targets.up]),
        lines("Scrape duration", [targets.scrapeTime]),
        stat(pipeline.systemLogs, { width: 8 }),
        stat(targets.series, { width: 8, title: "Series in Prometheus" }),
      ],
    },
  ],
};
