import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { brokerFile, serverFile, startFile } from "../../components/database/settings.ts";
import { usersFile } from "../../components/database/users.ts";
import { renderText } from "../../components/shared/secret-text.ts";
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
  databasePassword: "of-default",
  biPassword: "of-bi",
  monitorPassword: "of-monitor",
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
  const bootstrap = options.bootstrap ?? "127.0.0.1:1";
  const broker = { inside: bootstrap, host: bootstrap, security: { tls: null, sasl: null } };
  const secrets = { ...DATABASE_SECRETS, ...options.secrets };
  const local = {
    listen_host: "127.0.0.1",
    http_port: options.httpPort ?? 0,
    tcp_port: 0,
    prometheus: { port: 0 },
    ...options.settings,
  };
  const files = {
    "users.d": [usersFile],
    "config.d": [
      ...[serverFile, startFile, brokerFile(broker)],
      { path: "90-local.yaml", content: stringify(local) },
    ],
  };
  for (const [folder, all] of Object.entries(files)) {
    for (const { path, content } of all) {
      const file = join(options.directory, folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, renderText(content, secrets));
    }
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
  const { databasePassword } = { ...DATABASE_SECRETS, ...options.secrets };
  const clients: ServerDatabase[] = [];
  return {
    ...ports,
    url,
    password: databasePassword,
    child,
    as: (user = "default", password = databasePassword) => {
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
