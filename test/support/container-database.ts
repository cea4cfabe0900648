import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import {
  kafkaCollection,
  serverSettings,
  userSettings,
} from "../../components/clickhouse/settings.ts";
import { ServerDatabase } from "../../warehouse/database/http.ts";

const MAIN = join(import.meta.dirname, "../../images/offline/clickhouse/main.ts");

export interface ContainerDatabaseOptions {
  /** Folder of the configuration and the tables. */
  readonly directory: string;
  /** Passwords of `default`, `bi` and `monitor`, and of the broker's users. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Addresses of a broker without a login. */
  readonly bootstrap?: string;
  /** Port of HTTP; default: any. */
  readonly httpPort?: number;
  /** Further settings of the server. */
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
}

export const DATABASE_SECRETS = {
  clickhousePassword: "of-default",
  clickhouseBiPassword: "of-bi",
  clickhouseMonitorPassword: "of-monitor",
};

/** The program of the database's offline image, with the files of the stack, on this machine. */
export interface ContainerDatabase {
  readonly http: number;
  readonly tcp: number;
  readonly metrics: number;
  readonly url: string;
  /** Password of `default`. */
  readonly password: string;
  readonly child: ChildProcess;
  /** Connects as a user; default: `default`. */
  readonly as: (user?: string, password?: string) => ServerDatabase;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
}

/** Writes the files that the stack gives the container. */
export function writeContainerFiles(options: ContainerDatabaseOptions): void {
  const bootstrap = [options.bootstrap ?? "127.0.0.1:1"];
  const secrets = { ...DATABASE_SECRETS, ...options.secrets };
  const { clickhousePassword, clickhouseBiPassword, clickhouseMonitorPassword } = secrets;
  const local = {
    listen_host: "127.0.0.1",
    http_port: options.httpPort ?? 0,
    tcp_port: 0,
    prometheus: { port: 0 },
    ...options.settings,
  };
  const files = {
    "users.d/users.yaml": userSettings(
      clickhousePassword,
      clickhouseBiPassword,
      clickhouseMonitorPassword,
    ),
    "config.d/10-server.yaml": serverSettings(join(options.directory, "snapshots")),
    "config.d/20-kafka.yaml": kafkaCollection({ bootstrap, tls: null, sasl: null }),
    "config.d/90-local.yaml": stringify(local),
  };
  for (const [path, content] of Object.entries(files)) {
    const file = join(options.directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

export async function startContainerDatabase(
  options: ContainerDatabaseOptions,
): Promise<ContainerDatabase> {
  writeContainerFiles(options);
  const { directory } = options;
  const child = spawn(process.execPath, [MAIN, directory, join(directory, "data")], {
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-20_000);
  });
  const ended = once(child, "close");
  const [ports] = (await Promise.race([once(child, "message"), ended.then(() => [])])) as [
    Pick<ContainerDatabase, "http" | "tcp" | "metrics">?,
  ];
  if (ports === undefined) throw new Error(`The database did not start: ${errors}`);
  const url = `http://127.0.0.1:${ports.http}`;
  const { clickhousePassword } = { ...DATABASE_SECRETS, ...options.secrets };
  const clients: ServerDatabase[] = [];
  return {
    ...ports,
    url,
    password: clickhousePassword,
    child,
    as: (user = "default", password = clickhousePassword) => {
      const client = new ServerDatabase({ url, user, password });
      clients.push(client);
      return client;
    },
    stop: async (signal = "SIGTERM") => {
      await Promise.all(clients.map((client) => client.close()));
      child.kill(signal);
      await ended;
    },
  };
}
