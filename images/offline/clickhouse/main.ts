/** Runs ClickHouse in a container: `main.ts [CONFIGURATION DATA]`, by default the official folders. */
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ServerDatabase } from "../../../warehouse/database/http.ts";
import {
  type Configuration,
  launcherConfiguration,
  toXml,
} from "../../../warehouse/engine/configuration.ts";
import { type Login, startControl } from "../../../warehouse/engine/control.ts";
import { findLibrary } from "../../../warehouse/engine/library.ts";
import { endServer, runServer } from "../../../warehouse/engine/run.ts";
import { defineBroker } from "../../../warehouse/epochs/named-collection.ts";
import { serveMetrics } from "./metrics.ts";
import { readSettings, versionOf } from "./settings.ts";

const [folder = "/etc/clickhouse-server", data = "/var/lib/clickhouse"] = process.argv.slice(2);
/** Time to end in order, ms; a container has longer. */
const GRACE = 30_000;

const METRICS_RULE: Configuration = {
  url: "/metrics",
  handler: { type: "prometheus", metrics: true, events: true, errors: true },
};

/** The launcher's own login. */
const own = { user: "default", password: randomBytes(16).toString("hex") };
let [settings, version] = [readSettings(folder), versionOf(folder)];
// The engine takes its zone from the process alone.
process.env.TZ = settings.timezone;
let refreshing = Promise.resolve();
const control = await startControl({ admits });
const configuration = writeConfiguration();
// The engine forgets the tables of `system` at its end, and then writes no log beside the files of an earlier one.
rmSync(join(data, "data/system"), { recursive: true, force: true });
const { ports, ended } = await runServer(
  { library: findLibrary(), directory: data, configuration },
  control,
);
rmSync(dirname(configuration), { recursive: true });
if (ports === undefined) process.exit(1);

const url = `http://127.0.0.1:${ports.http}`;
const db = new ServerDatabase({ url, ...own });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, stop);
await defineBroker(db, settings.broker);
const metricsPort = await serveMetrics(settings.metrics, db, () =>
  fetch(`${url}/metrics`, {
    headers: { "X-ClickHouse-User": own.user, "X-ClickHouse-Key": own.password },
  }),
);
process.send?.({ ...ports, metrics: metricsPort });
await ended;
process.exit(0);

function stop(): void {
  // The engine waits for idle connections.
  void db.close();
  endServer(control, GRACE);
}

/** Writes the files as XML beside the main ones, so that ClickHouse merges them itself. */
function writeConfiguration(): string {
  const target = mkdtempSync(join(tmpdir(), "clickhouse-"));
  const write = (path: string, content: Configuration): string => {
    const file = join(target, `${path}.xml`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, toXml(content));
    return file;
  };
  for (const [path, content] of settings.files) write(path, content);
  const users = write("users", { profiles: { default: "" }, quotas: { default: "" } });
  return write("config", {
    ...launcherConfiguration(control.url),
    "log-level": "information",
    // The log tells of each task that waits for a thread.
    background_schedule_pool_size: 16,
    http_port: 8123,
    tcp_port: 9000,
    users_config: users,
    http_handlers: { rule: METRICS_RULE, defaults: "" },
  });
}

async function admits({ user, password }: Login): Promise<boolean> {
  if (user === own.user && password === own.password) return true;
  refreshing = refreshing.then(applyChanges).catch((error: unknown) => {
    process.stderr.write(`Configuration not reloaded: ${String(error)}\n`);
  });
  await refreshing;
  return createHash("sha256").update(password).digest("hex") === settings.passwords.get(user);
}

/** Applies files that changed since the last login, as `SYSTEM RELOAD CONFIG` would. */
async function applyChanges(): Promise<void> {
  const now = versionOf(folder);
  if (now === version) return;
  const next = readSettings(folder);
  await defineBroker(db, next.broker);
  [settings, version] = [next, now];
}
