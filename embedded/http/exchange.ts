import type { ServerResponse } from "node:http";
import type { Admission } from "./admission.ts";
import type { Access } from "./auth.ts";
import type { ExternalTable } from "./external.ts";
import type { Formats } from "./formats.ts";
import type { QueryParameters } from "./parameters.ts";
import type { Parser } from "./parser.ts";
import type { Processes } from "./processes.ts";
import type { ReceivedStatement } from "./receive.ts";
import type { QueryResponse } from "./response.ts";
import type { Sessions } from "./sessions.ts";
import type { Spool } from "./spool.ts";
import type { Statement } from "./statement.ts";

export interface HttpContext {
  readonly version: string;
  readonly timezone: string;
  readonly displayName: string;
  readonly formats: Formats;
  access: Access;
  readonly reload: (() => Promise<Access>) | undefined;
  reloading: Promise<void>;
  readonly queueTimeoutMs: number;
  readonly clientTimeoutMs: number;
  readonly spool: Spool;
  readonly sessions: Sessions;
  readonly processes: Processes;
  readonly parser: Parser;
  /** Table functions that read or write an external source, in lower case. */
  readonly externalSources: ReadonlySet<string>;
  readonly admission: Admission;
  readonly sourceAdmission: Admission;
}

export interface Query {
  readonly parameters: QueryParameters;
  readonly received: ReceivedStatement;
  readonly statement: Statement;
  readonly tables: readonly ExternalTable[];
}

export interface Exchange {
  readonly response: ServerResponse;
  readonly answer: QueryResponse;
  readonly signal: AbortSignal;
}
