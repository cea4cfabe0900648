/** An error in ClickHouse's own terms: what its HTTP interface would answer with. */
export class ServerException extends Error {
  override readonly name = "ServerException";
  /** Number of the error, e.g. 60. */
  readonly code: number;
  /** Its name, e.g. UNKNOWN_TABLE. */
  readonly type: string;

  constructor(code: number, type: string, message: string) {
    super(message);
    this.code = code;
    this.type = type;
  }
}

/** Errors that this interface raises itself, by ClickHouse's names. */
const CODES = {
  BAD_ARGUMENTS: 36,
  NOT_IMPLEMENTED: 48,
  SYNTAX_ERROR: 62,
  UNKNOWN_TYPE_OF_QUERY: 78,
  UNKNOWN_SETTING: 115,
  READONLY: 164,
  TOO_MANY_SIMULTANEOUS_QUERIES: 202,
  QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING: 216,
  QUERY_IS_TOO_LARGE: 229,
  ABORTED: 236,
  NOT_ENOUGH_SPACE: 243,
  ZLIB_INFLATE_FAILED: 354,
  INTO_OUTFILE_NOT_ALLOWED: 358,
  SESSION_NOT_FOUND: 372,
  SESSION_IS_LOCKED: 373,
  INVALID_SESSION_TIMEOUT: 374,
  HTTP_LENGTH_REQUIRED: 381,
  BROTLI_READ_FAILED: 448,
  ACCESS_DENIED: 497,
  UNKNOWN_ROLE: 511,
  AUTHENTICATION_FAILED: 516,
  ZSTD_DECODER_FAILED: 561,
  LZ4_DECODER_FAILED: 618,
  STD_EXCEPTION: 1001,
} as const;

export type ExceptionType = keyof typeof CODES;

export const exception = (type: ExceptionType, message: string): ServerException =>
  new ServerException(CODES[type], type, message);

/** The line ClickHouse sends as the body of an error response. */
export const exceptionText = (error: ServerException, version: string): string =>
  `Code: ${error.code}. DB::Exception: ${error.message}. (${error.type}) (version ${version})`;

const ENGINE_TEXT = /^Code: (\d+)\. DB::Exception: ([\s\S]*?)\.? \(([A-Z0-9_]+)\)\s*$/;
/** The engine repeats code and name around an error that passed through another exception. */
const NESTED = /^Code: \d+\. DB::Exception: ([\s\S]*?)\.? \([A-Z0-9_]+\)(?: \(version [^)]*\))$/;
/** A body is read from a temporary file: its path says nothing to the client. */
const FILE_OF_BODY = /: \(in file\/uri [^)]*\)/g;

/** Anything thrown while a query ran, as the exception to answer with. */
export function asServerException(error: unknown): ServerException {
  if (error instanceof ServerException) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (hasCode(error, "ENOSPC")) return exception("NOT_ENOUGH_SPACE", text);
  const match = ENGINE_TEXT.exec(text.replace(/^(Query|Insert) failed: /, ""));
  const [, code, message, type] = match ?? [];
  if (code === undefined || message === undefined || type === undefined) {
    return exception("STD_EXCEPTION", text.replace(/\.\s*$/, ""));
  }
  return new ServerException(Number(code), type, innermost(message).replace(FILE_OF_BODY, ""));
}

function innermost(message: string): string {
  const inner = NESTED.exec(message)?.[1];
  return inner === undefined ? message : innermost(inner);
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
