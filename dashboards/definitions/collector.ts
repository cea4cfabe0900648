import { type Dashboard, lines, stacked, stat } from "../dashboard.ts";
import { collector } from "../signals/collector.ts";
import { DASHBOARD_UIDS } from "../uids.ts";

export const collectorDashboard: Dashboard = {
  uid: DASHBOARD_UIDS.collector,
  title: "Collector",
  about: "Hits of trackers: accepted, refused, and on their way to Kafka.",
  job: "collector",
  rows: [
    {
      title: "At a glance",
      panels: [
        stat(collector.oldestWaiting, { width: 6 }),
        stat(collector.waiting, { width: 6 }),
        stat(collector.full, { width: 6 }),
        stat(collector.badShare, { width: 6 }),
      ],
    },
    {
      title: "Requests",
      panels: [
        stacked("Hits/min by tracker", [collector.accepted]),
        lines("Refused requests by reason", [collector.refused]),
        lines("Time to an answer", [collector.answerTime]),
      ],
    },
    {
      title: "Delivery",
      panels: [
        lines("Age of the oldest hit that waits", [collector.oldestWaiting]),
        lines("Size of the journal", [collector.waitingBytes]),
        lines("Failed deliveries", [collector.failures]),
      ],
    },
  ],
};
