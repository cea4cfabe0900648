import { globSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { type BrokerConnection, SASL_MECHANISMS } from "../../../contract/broker.ts";
import { type Configuration, LAUNCHER_LOGIN } from "../../../warehouse/engine/configuration.ts";

const collection = z.object({
  kafka_broker_list: z.string(),
  kafka_security_protocol: z.string().default("plaintext"),
  kafka_sasl_mechanism: z.enum(SASL_MECHANISMS).optional(),
  kafka_sasl_username: z.string().default(""),
  kafka_sasl_password: z.string().default(""),
});

/** What the launcher itself reads of the files of `config.d` and `users.d`. */
const launcherSettings = z.object({
  listen_host: z.string(),
  timezone: z.string(),
  prometheus: z.object({ port: z.int() }),
  named_collections: z.object({ kafka: collection }),
  users: z.record(z.string(), z.looseObject({ password_sha256_hex: z.string() })),
});

export interface Settings {
  readonly timezone: string;
  /** Address of the metrics. */
  readonly metrics: { readonly host: string; readonly port: number };
  readonly broker: BrokerConnection;
  /** Hashes of the passwords by user. */
  readonly passwords: ReadonlyMap<string, string>;
  /** The files in the form that the engine reads, by path without suffix. */
  readonly files: ReadonlyMap<string, Configuration>;
}

/** Folders of the official image, whose files apply in order of name. */
const FILES = "{config.d,users.d}/*.yaml";

export function readSettings(folder: string): Settings {
  const files = filesIn(folder).map((path): [string, Configuration] => [
    path,
    parse(readFileSync(join(folder, path), "utf8")),
  ]);
  const merged = Object.assign({}, ...files.map(([, content]) => content));
  const {
    listen_host: host,
    timezone,
    prometheus,
    named_collections,
    users,
  } = launcherSettings.parse(merged);
  return {
    timezone,
    metrics: { host, port: prometheus.port },
    broker: connection(named_collections.kafka),
    passwords: new Map(
      Object.entries(users).map(([name, user]) => [name, user.password_sha256_hex]),
    ),
    files: new Map(
      files.map(([path, content]) => [path.replace(/\.yaml$/, ""), forEngine(content)]),
    ),
  };
}

/** Returns a version by ctime, because deployed files have equal mtimes. */
export const versionOf = (folder: string): string =>
  filesIn(folder)
    .map((path) => `${path} ${statSync(join(folder, path)).ctimeMs}`)
    .join();

const filesIn = (folder: string): string[] =>
  globSync(FILES, { cwd: folder }).toSorted((a, b) => basename(a).localeCompare(basename(b)));

/**
 * Leaves out what changes while the engine runs, because it reads files only at its start: it asks
 * the launcher for passwords, and SQL defines the broker.
 */
function forEngine({ named_collections: _, users, ...content }: Configuration): Configuration {
  if (users === undefined) return content;
  const asking = Object.entries(users as Record<string, Configuration>).map(
    ([name, { password_sha256_hex: _, ...user }]) => [name, { ...user, ...LAUNCHER_LOGIN }],
  );
  return { ...content, users: Object.fromEntries(asking) };
}

const connection = (values: z.infer<typeof collection>): BrokerConnection => ({
  bootstrap: values.kafka_broker_list.split(","),
  tls: values.kafka_security_protocol.endsWith("ssl") ? {} : null,
  sasl: values.kafka_sasl_mechanism
    ? {
        mechanism: values.kafka_sasl_mechanism,
        username: values.kafka_sasl_username,
        password: values.kafka_sasl_password,
      }
    : null,
});
