import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, totalmem } from "node:os";
import type { Database } from "../../../contract/ports.ts";

/** The engine lacks `system.asynchronous_metrics`, so this query replaces those in use. */
const ASYNCHRONOUS = `
WITH active AS (SELECT * FROM system.parts WHERE active)
SELECT
    uptime() AS Uptime,
    (SELECT sum(rows) FROM active) AS TotalRowsOfMergeTreeTables,
    (SELECT sum(bytes_on_disk) FROM active) AS TotalBytesOfMergeTreeTables,
    (
        SELECT max(parts)
        FROM (SELECT count() AS parts FROM active GROUP BY database, table, partition_id)
    ) AS MaxPartCountForPartition,
    (SELECT count() FROM system.detached_parts) AS NumberOfDetachedParts,
    (SELECT sum(total_space) FROM system.disks) AS DiskTotal_default,
    (SELECT sum(free_space) FROM system.disks) AS DiskAvailable_default`;

type Values = Readonly<Record<string, number>>;

/** Serves the engine's own metrics without a login, and those that it lacks. @returns the port */
export async function serveMetrics(
  address: { readonly host: string; readonly port: number },
  db: Database,
  ownMetrics: () => Promise<Response>,
): Promise<number> {
  const cpuShares = cpuMeter();
  const server = createServer(async (request, response) => {
    if (request.url !== "/metrics") return response.writeHead(404).end();
    try {
      const [own, [asynchronous]] = await Promise.all([
        ownMetrics().then((answer) => answer.text()),
        db.rows<Values>(ASYNCHRONOUS),
      ]);
      response.setHeader("Content-Type", "text/plain; version=0.0.4; charset=UTF-8");
      return response.end(own + lines({ ...asynchronous, ...memory(), ...cpuShares() }));
    } catch (error) {
      return response.writeHead(503).end(String(error));
    }
  }).listen(address.port, address.host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const lines = (values: Values): string =>
  Object.entries(values)
    .map(([metric, value]) => [`ClickHouseAsyncMetrics_${metric}`, value])
    .map(([name, value]) => `# TYPE ${name} gauge\n${name} ${value}\n`)
    .join("");

const memory = (): Values => ({
  MemoryResident: process.memoryUsage.rss(),
  OSMemoryTotal: totalmem(),
  CGroupMemoryTotal: Math.min(process.constrainedMemory() || Infinity, totalmem()),
});

/** Returns a function that measures the shares of all cores' time since its last call. */
function cpuMeter(): () => Values {
  let before = cpuTimes();
  return () => {
    const now = cpuTimes();
    const total = Math.max(now.total - before.total, 1);
    const shares = {
      OSUserTimeNormalized: (now.user - before.user) / total,
      OSSystemTimeNormalized: (now.system - before.system) / total,
    };
    before = now;
    return shares;
  };
}

function cpuTimes() {
  const sum = { user: 0, system: 0, total: 0 };
  for (const { times } of cpus()) {
    sum.user += times.user + times.nice;
    sum.system += times.sys + times.irq;
    sum.total += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return sum;
}
