import { boundOf, type Dashboard, lines, stat } from "../dashboard.ts";
import { broker } from "../signals/broker.ts";
import { pipeline } from "../signals/pipeline.ts";
import { DASHBOARD_UIDS } from "../uids.ts";

export const brokerDashboard: Dashboard = {
  uid: DASHBOARD_UIDS.broker,
  title: "Kafka",
  about: "Brokers, topics and consumer groups, as the exporter sees them from outside.",
  job: "broker",
  rows: [
    {
      title: "At a glance",
      panels: [
        stat(broker.brokersUp, { width: 6 }),
        // This panel has no bound, because standby is not a fault; the chart below has one.
        stat(broker.produced, { width: 6 }),
        stat(pipeline.stuck, { width: 6 }),
        stat(broker.underReplicated, { width: 6 }),
      ],
    },
    {
      title: "Flow",
      panels: [
        lines("Throughput by topic", [broker.throughput], { width: 12 }),
        lines(
          "Event topics, and while batches are due",
          [broker.produced, broker.producedWhileDue],
          {
            width: 12,
            bound: boundOf(broker.producedWhileDue),
          },
        ),
        lines("Consumption by group", [broker.consumed], { width: 12 }),
        lines("Lag of active groups", [broker.lag], { width: 12 }),
      ],
    },
    {
      title: "Topics and groups",
      panels: [
        lines("Messages kept", [broker.retained]),
        lines("Skew of partitions", [broker.skew]),
        lines("Members of the stg groups", [broker.members]),
      ],
    },
  ],
};
