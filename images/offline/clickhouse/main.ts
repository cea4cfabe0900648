import { EmbeddedEngine } from "../../../embedded/engine.ts";
import { startHttp } from "../../../embedded/http/server.ts";
import { defineBroker } from "../../../warehouse/epochs/named-collection.ts";
import { readSettings } from "./settings.ts";
import { watchSettings } from "./watch.ts";

const DATA = "/var/lib/clickhouse";
const HTTP_PORT = 8123;

const settings = readSettings();
const engine = new EmbeddedEngine(DATA);
await defineBroker(engine, settings.broker);
const http = await startHttp(engine, {
  host: settings.listenHost,
  port: HTTP_PORT,
  password: settings.passwordHash,
  users: settings.users,
  metricsPort: settings.metricsPort,
  reload: async () => {
    const { broker, passwordHash: password, users } = readSettings();
    await defineBroker(engine, broker);
    return { password, users };
  },
});
const stopWatching = watchSettings(http.reload);
process.stdout.write(`Listening on ${settings.listenHost}:${HTTP_PORT}\n`);

async function stop(): Promise<void> {
  stopWatching();
  await http.close();
  await engine.close();
  process.exit(0);
}
process.once("SIGTERM", () => void stop());
process.once("SIGINT", () => void stop());
