import { randomUUID } from "node:crypto";
import { totalmem } from "node:os";

/**
 * ClickHouse's configuration as an object: an array repeats its element, and a name with `@` is an
 * attribute.
 */
export interface Configuration {
  readonly [element: string]: Value | readonly Value[];
}
type Value = string | number | boolean | Configuration;

/** Writes XML, because the library is built without a parser of YAML. */
export const toXml = (configuration: Configuration): string =>
  elementOf("clickhouse", configuration);

function elementOf(name: string, value: Value): string {
  if (typeof value !== "object") return `<${name}>${escapeXml(value)}</${name}>`;
  const parts = Object.entries(value).flatMap(([child, one]) =>
    [one].flat().map((each) => [child, each] as const),
  );
  const attributes = parts
    .filter(([child]) => child.startsWith("@"))
    .map(([attribute, text]) => ` ${attribute.slice(1)}="${escapeXml(text as string)}"`);
  const elements = parts
    .filter(([child]) => !child.startsWith("@"))
    .map(([child, each]) => elementOf(child, each));
  return `<${name}${attributes.join("")}>${elements.join("\n")}</${name}>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
const escapeXml = (text: string | number | boolean): string =>
  String(text).replace(/[&<>"]/g, (char) => ESCAPES[char] ?? char);

/** Users that only a listening address restricts. */
const ANYWHERE: Configuration = { ip: "::/0" };

export const READER = "reader";
export const WRITER = "writer";

/** Settings that read files, which grants do not limit. */
export const FILE_SETTINGS = ["format_schema", "format_template_row", "format_template_resultset"];

/** Settings by which a page of another site could read an answer. */
const HEADER_SETTINGS = ["add_http_cors_header", "http_response_headers"];

/** Forbids any value but the default. */
export const constant = (settings: readonly string[]): Configuration =>
  Object.fromEntries(settings.map((name) => [name, { const: "" }]));

/** Users of a workspace by the hashes of their passwords; `default` is the launcher's. */
export const workspaceUsers = (hashes: {
  readonly reader: string;
  readonly writer: string;
}): Configuration => ({
  profiles: {
    default: {
      // Compilation costs more than it saves in a short process.
      compile_expressions: 0,
      compile_aggregate_expressions: 0,
      compile_sort_description: 0,
    },
    reader: {
      readonly: 2,
      cancel_http_readonly_queries_on_client_close: 1,
      // A query must not take the memory of a load.
      max_memory_usage: Math.floor(totalmem() / 2),
      constraints: constant([...FILE_SETTINGS, ...HEADER_SETTINGS]),
    },
  },
  users: {
    default: { ...LAUNCHER_LOGIN, networks: ANYWHERE, profile: "default" },
    [WRITER]: {
      password_sha256_hex: hashes.writer,
      networks: ANYWHERE,
      profile: "default",
      named_collection_control: 1,
    },
    [READER]: {
      password_sha256_hex: hashes.reader,
      networks: ANYWHERE,
      profile: "reader",
      grants: { query: "GRANT SELECT ON *.*" },
    },
  },
});

/** The launcher's session logs in as `default` with an empty password, so the launcher checks it. */
export const LAUNCHER_LOGIN: Configuration = {
  http_authentication: { server: "launcher", scheme: "basic" },
};

/** Names the run of a local engine, so that SQL can tell it from earlier ones. */
export const RUN_MACRO = "run";

/** Names the folder of snapshots, so that SQL finds it. */
export const SNAPSHOTS_MACRO = "snapshots";

export interface ServerOptions {
  /** Address of the launcher's control. */
  readonly control: string;
  readonly host: string;
  /** Port of HTTP; 0: any. */
  readonly httpPort: number;
  /** Port of the native protocol; 0: any. */
  readonly tcpPort: number;
  /** Rules of HTTP that serve the SQL page. */
  readonly pageRules: readonly Configuration[];
  /** File of errors. */
  readonly log: string;
  /** Folder of snapshots. */
  readonly snapshots: string;
}

export const serverConfiguration = (options: ServerOptions): Configuration => ({
  ...launcherConfiguration(options.control),
  listen_host: options.host,
  http_port: options.httpPort,
  tcp_port: options.tcpPort,
  macros: { [RUN_MACRO]: randomUUID(), [SNAPSHOTS_MACRO]: options.snapshots },
  backups: { allowed_path: options.snapshots },
  http_handlers: { rule: [...options.pageRules, ...QUERY_RULES] },
  logger: { log: options.log, size: "1M", count: 1 },
  "log-level": "fatal",
});

/** Files of replaced rows are deleted within seconds; the defaults take up to 13 minutes. */
const DELETE_SOON: Configuration = {
  old_parts_lifetime: 5,
  cleanup_delay_period: 5,
  max_cleanup_delay_period: 5,
};

/** What every server of a launcher needs. */
export const launcherConfiguration = (control: string): Configuration => ({
  http_authentication_servers: {
    // A busy machine may answer late.
    launcher: {
      uri: `${control}/login`,
      connection_timeout_ms: 60_000,
      receive_timeout_ms: 60_000,
    },
  },
  // Pools of a server; smaller ones block readers of Kafka and deletes.
  background_message_broker_schedule_pool_size: 16,
  background_pool_size: 16,
  database_atomic_delay_before_drop_table_sec: 5,
  merge_tree: DELETE_SOON,
});

/** Headers of requests to this machine by name; a foreign page could have another name for it. */
export const OWN_HOST: Configuration = { Host: "regex:(127[.]0[.]0[.]1|localhost)(:[0-9]+)?" };

/** Headers of requests that no page of another site sends. Programs that are no browser omit some. */
export const OWN_REQUEST: Configuration = {
  ...OWN_HOST,
  "Sec-Fetch-Site": "regex:(same-origin|none)?",
};

const QUERY_RULES: readonly Configuration[] = [
  {
    url: "/ping",
    headers: OWN_REQUEST,
    handler: { type: "static", response_content: "Ok.\n" },
  },
  {
    url: "regex:/([?].*)?",
    headers: OWN_REQUEST,
    handler: { type: "dynamic_query_handler", query_param_name: "query" },
  },
];

/** Statements of the launcher's session: they open the ports and wait for the end of a request. */
export const serve = (control: string): string => `
  SYSTEM START LISTEN HTTP;
  SYSTEM START LISTEN TCP;
  INSERT INTO FUNCTION url('${control}/ready', 'JSONEachRow', 'http UInt16, tcp UInt16')
  SELECT getServerPort('http_port'), getServerPort('tcp_port');
  SELECT * FROM url('${control}/end', 'LineAsString', 'line String')
  FORMAT Null
  SETTINGS http_receive_timeout = 1e9, http_max_tries = 1, http_make_head_request = 0, log_queries = 0;
  KILL QUERY WHERE query_id != queryID() ASYNC FORMAT Null`;
