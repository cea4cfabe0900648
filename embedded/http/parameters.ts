import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { exception } from "./errors.ts";
import { FILTER_SETTINGS, filterSettingRefused } from "./filter-settings.ts";

export interface QueryParameters {
  readonly queryId: string;
  readonly database: string | undefined;
  readonly format: string;
  /** Native protocol version of the client; 0 for none. */
  readonly protocolVersion: number;
  readonly settings: ReadonlyMap<string, string>;
  /** Values for `{name:Type}`, in ClickHouse's escaped text form. */
  readonly bindings: ReadonlyMap<string, string>;
  readonly readonly: boolean;
  readonly session: SessionRequest | undefined;
  readonly transport: Transport;
}

export interface SessionRequest {
  readonly id: string;
  readonly timeoutSeconds: number;
  /** True to require that the session exists. */
  readonly check: boolean;
  readonly close: boolean;
}

export interface Transport {
  /** True to answer only after the whole result is known, so that the status is right. */
  readonly waitEnd: boolean;
  readonly bufferSize: number;
  readonly compress: boolean;
  readonly compressionLevel: number;
  readonly compressBlocks: boolean;
  readonly decompressBlocks: boolean;
}

const DEFAULT_FORMAT = "TabSeparated";
const BUFFER_SIZE = 1_048_576;
const MAX_SESSION_TIMEOUT = 3600;

/** Parameters that are not settings. */
const RESERVED = new Set([
  "compress",
  "decompress",
  "user",
  "password",
  "quota_key",
  "query",
  "query_id",
  "stacktrace",
  "role",
  "buffer_size",
  "wait_end_of_query",
  "session_id",
  "session_timeout",
  "session_check",
  "close_session",
  "client_protocol_version",
  "database",
  "default_format",
]);

const TRANSPORT_SETTINGS = new Set([
  "add_http_cors_header",
  "cancel_http_readonly_queries_on_client_close",
  "enable_http_compression",
  "http_headers_progress_interval_ms",
  "http_response_buffer_size",
  "http_wait_end_of_query",
  "http_write_exception_in_output_format",
  "http_zlib_compression_level",
  "log_comment",
  "replace_running_query",
  "send_progress_in_http_headers",
]);

/** Reads the parameters of a request. @throws ServerException for unsupported or invalid ones */
export function readParameters(request: IncomingMessage, url: URLSearchParams): QueryParameters {
  refuseRole(url);
  const { settings, bindings } = settingsAndBindings(url);
  if (request.method !== "POST") makeReadonly(settings);
  const readonly = (settings.get("readonly") ?? "0") !== "0";
  const session = sessionRequest(url);
  // In a session, `readonly` would apply to all later requests.
  if (session) settings.delete("readonly");
  return {
    queryId: queryId(url.get("query_id") ?? header(request, "x-clickhouse-query-id")),
    database: header(request, "x-clickhouse-database") ?? given(url.get("database")),
    format:
      header(request, "x-clickhouse-format") ?? given(url.get("default_format")) ?? DEFAULT_FORMAT,
    protocolVersion: number(url, "client_protocol_version") ?? 0,
    settings,
    bindings,
    readonly,
    session,
    transport: {
      waitEnd: flag(url, "wait_end_of_query") || flag(url, "http_wait_end_of_query"),
      bufferSize: Math.max(
        number(url, "http_response_buffer_size") ?? number(url, "buffer_size") ?? 0,
        BUFFER_SIZE,
      ),
      compress: flag(url, "enable_http_compression"),
      compressionLevel: number(url, "http_zlib_compression_level") ?? 3,
      compressBlocks: flag(url, "compress"),
      decompressBlocks: flag(url, "decompress"),
    },
  };
}

function refuseRole(url: URLSearchParams): void {
  const role = url.get("role");
  if (role) {
    throw exception("UNKNOWN_ROLE", `There is no role \`${role}\` in the embedded engine`);
  }
}

function settingsAndBindings(url: URLSearchParams) {
  const settings = new Map<string, string>();
  const bindings = new Map<string, string>();
  for (const [name, value] of url) {
    if (name.startsWith("param_")) {
      if (!bindings.has(name)) bindings.set(name, value);
    } else if (name !== "" && !RESERVED.has(name) && !TRANSPORT_SETTINGS.has(name)) {
      settings.set(name, value);
    }
  }
  return { settings, bindings };
}

/** Makes a request read-only, because links and proxies can repeat all methods except POST. */
function makeReadonly(settings: Map<string, string>): void {
  if (settings.has("readonly")) {
    throw exception("READONLY", "Cannot modify 'readonly' setting in readonly mode");
  }
  const filter = FILTER_SETTINGS.find((name) => settings.has(name));
  if (filter !== undefined) throw filterSettingRefused(filter);
  settings.set("readonly", "2");
}

function sessionRequest(url: URLSearchParams): SessionRequest | undefined {
  const id = url.get("session_id");
  if (id === null) return undefined;
  const text = url.get("session_timeout") ?? "60";
  const timeoutSeconds = Number(text);
  if (!/^\d+$/.test(text)) {
    throw exception("INVALID_SESSION_TIMEOUT", `Invalid session timeout: '${text}'`);
  }
  if (timeoutSeconds > MAX_SESSION_TIMEOUT) {
    throw exception(
      "INVALID_SESSION_TIMEOUT",
      `Session timeout '${text}' is larger than max_session_timeout: ${MAX_SESSION_TIMEOUT}`,
    );
  }
  return {
    id,
    timeoutSeconds,
    check: url.get("session_check") === "1",
    close: flag(url, "close_session"),
  };
}

const CONTROL_CHARACTERS = /[\p{Cc}\u007f-\uffff]/gu;

/** Returns the query id without characters that are invalid in a header. */
const queryId = (asked: string | null | undefined): string =>
  asked?.replace(CONTROL_CHARACTERS, "") || randomUUID();

const given = (value: string | null): string | undefined => value || undefined;

const header = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name];
  return (Array.isArray(value) ? value[0] : value) || undefined;
};

const flag = (url: URLSearchParams, name: string): boolean =>
  /^(1|true|yes|on)$/i.test(url.get(name) ?? "");

function number(url: URLSearchParams, name: string): number | undefined {
  const text = url.get(name);
  if (text === null || text === "") return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw exception("BAD_ARGUMENTS", `Parameter ${name} must be a whole number, not '${text}'`);
}

export const quoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Returns a SET statement; undefined without settings. */
export function setStatement(values: Iterable<readonly [string, string]>): string | undefined {
  const changes = [...values].map(([name, value]) => {
    if (!/^[A-Za-z_][\w.]*$/.test(name)) {
      throw exception("UNKNOWN_SETTING", `Unknown setting '${name}'`);
    }
    return `${name} = ${quoted(value)}`;
  });
  return changes.length === 0 ? undefined : `SET ${changes.join(", ")}`;
}
