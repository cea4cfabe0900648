export class ServerException extends Error {
  override readonly name = "ServerException";
  readonly code: number;
  /** Name of the error, e.g. UNKNOWN_TABLE. */
  readonly type: string;
  /** Class of the error in ClickHouse, e.g. DB::NetException. */
  readonly class: string;

  constructor(code: number, type: string, message: string, className = "DB::Exception") {
    super(message);
    this.code = code;
    this.type = type;
    this.class = className;
  }
}

const CODES = {
  BAD_ARGUMENTS: 36,
  CHECKSUM_DOESNT_MATCH: 40,
  NOT_IMPLEMENTED: 48,
  SYNTAX_ERROR: 62,
  UNKNOWN_FORMAT: 73,
  UNKNOWN_TYPE_OF_QUERY: 78,
  UNKNOWN_COMPRESSION_METHOD: 89,
  UNKNOWN_SETTING: 115,
  TOO_LARGE_SIZE_COMPRESSED: 131,
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
  QUERY_WAS_CANCELLED: 394,
  BROTLI_READ_FAILED: 448,
  ACCESS_DENIED: 497,
  UNKNOWN_ROLE: 511,
  AUTHENTICATION_FAILED: 516,
  ZSTD_DECODER_FAILED: 561,
  LZ4_DECODER_FAILED: 618,
  USER_SESSION_LIMIT_EXCEEDED: 700,
  POCO_EXCEPTION: 1000,
  STD_EXCEPTION: 1001,
} as const;

export type ExceptionType = keyof typeof CODES;

export const exception = (type: ExceptionType, message: string): ServerException =>
  new ServerException(CODES[type], type, message);

export const exceptionText = (error: ServerException, version: string): string =>
  `Code: ${error.code}. ${error.class}: ${error.message}. (${error.type}) (version ${version})`;

const ENGINE_TEXT =
  /^Code: (\d+)\. (DB::\w+): ([\s\S]*?)\.? \(([A-Z0-9_]+)\)(?: \(version [^)]*\))?\s*$/;
const HAS_VERSION = / \(version [^)]*\)$/;
/** Pattern of errors of the network library, which have no code. */
const NETWORK_LIBRARY = /^Poco::/;
/** Pattern of the temporary file of a body, which means nothing to the client. */
const FILE_OF_BODY = /: \(in file\/uri [^)]*\)/g;

export function asServerException(error: unknown): ServerException {
  if (error instanceof ServerException) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (hasCode(error, "ENOSPC")) return exception("NOT_ENOUGH_SPACE", text);
  const found = parse(text.replace(/^(Query|Insert) failed: /, ""));
  return found ?? exception("STD_EXCEPTION", text.replace(/\.\s*$/, ""));
}

/** Parses the engine's text, which repeats code and name around a wrapped error. */
function parse(text: string): ServerException | undefined {
  const [, code, className, message, type] = ENGINE_TEXT.exec(text) ?? [];
  if (message === undefined || type === undefined) return undefined;
  if (NETWORK_LIBRARY.test(message)) return exception("POCO_EXCEPTION", message);
  const inner = HAS_VERSION.test(message) ? parse(message) : undefined;
  const shown = message.replace(FILE_OF_BODY, "");
  return inner ?? new ServerException(Number(code), type, shown, className);
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
