import { boundOf, type Dashboard, lines, stat } from "../dashboard.ts";
import { databaseConsumers, databaseState, databaseWork } from "../signals/database.ts";
import { pipeline } from "../signals/pipeline.ts";
import { DASHBOARD_UIDS } from "../uids.ts";

const work = databaseWork;
const state = databaseState;

export const databaseDashboard: Dashboard = {
  uid: DASHBOARD_UIDS.database,
  title: "ClickHouse",
  about: "Queries, inserts, parts, memory, disk and the Kafka engine of the database.",
  job: "database",
  rows: [
    {
      title: "At a glance",
      panels: [
        stat(work.failedQueries),
        stat(state.memoryResident, { title: "Resident memory" }),
        stat(state.activeParts),
        stat(state.partsPerPartition, { title: "Parts per partition" }),
        stat(state.diskFree),
        stat(state.uptime),
      ],
    },
    {
      title: "Queries and inserts",
      panels: [
        lines("Queries", [work.queries, work.selects, work.inserts, work.failedQueries]),
        lines("Time per query", [work.queryTime, work.selectTime]),
        lines("Inserted rows", [work.insertedRows]),
        lines("Rejected and delayed inserts", [work.insertTroubles]),
        lines("HTTP connections", [work.connections]),
        lines("Processor", [state.cpu]),
      ],
    },
    {
      title: "Storage and memory",
      panels: [
        lines("Parts", [state.activeParts, state.partsPerPartition, state.detachedParts]),
        lines("Merges", [state.merges]),
        lines("Memory", [state.memoryResident, state.memoryOfLimit], {
          bound: boundOf(state.memoryResident),
        }),
        lines("Rows", [state.storedRows]),
        lines("Size on disk and system logs", [state.storedBytes, pipeline.systemLogs]),
        lines("Free disk, a day ahead", [state.diskForeseen]),
      ],
    },
    {
      title: "Kafka engine",
      panels: [
        lines("Messages read", [databaseConsumers.messagesRead]),
        lines("Consumers", [databaseConsumers.consumers]),
        lines("Commit failures and consumer errors", [
          databaseConsumers.commitFailures,
          databaseConsumers.consumerErrors,
        ]),
      ],
    },
  ],
};
