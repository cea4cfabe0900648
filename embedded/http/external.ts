import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { Connection } from "./connection.ts";
import { decodedBody } from "./encodings.ts";
import { exception } from "./errors.ts";
import { quoted } from "./parameters.ts";
import { MAX_STATEMENT_BYTES, tooLarge } from "./receive.ts";
import type { Spool, SpooledFile } from "./spool.ts";

export interface ExternalTable {
  readonly name: string;
  readonly structure: string;
  readonly format: string;
  readonly rows: SpooledFile;
}

export interface Form {
  /** Form fields that are not files: `query` and `param_…`. */
  readonly fields: URLSearchParams;
  readonly tables: readonly ExternalTable[];
}

export const isForm = (request: IncomingMessage): boolean =>
  (request.headers["content-type"] ?? "").startsWith("multipart/form-data");

/** Receives a form. The scope removes the files, even if a later part is rejected. */
export async function receiveForm(
  request: IncomingMessage,
  url: URLSearchParams,
  spool: Spool,
  scope: AsyncDisposableStack,
): Promise<Form> {
  const fields = new URLSearchParams();
  const tables: ExternalTable[] = [];
  for (const [name, value] of await parseForm(request)) {
    if (typeof value === "string") fields.append(name, value);
    else {
      const table = await externalTable(name, value, url, spool);
      scope.use(table.rows);
      tables.push(table);
    }
  }
  return { fields, tables };
}

async function parseForm(request: IncomingMessage): Promise<FormData> {
  const type = request.headers["content-type"] ?? "";
  const body = Readable.toWeb(Readable.from(limited(decodedBody(request))));
  try {
    const response = new Response(body as ReadableStream, { headers: { "content-type": type } });
    return await response.formData();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw exception("BAD_ARGUMENTS", `The form data cannot be read: ${reason}`);
  }
}

async function* limited(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const bytes of body) {
    length += bytes.length;
    if (length > MAX_STATEMENT_BYTES) throw tooLarge();
    yield bytes;
  }
}

async function externalTable(
  name: string,
  file: File,
  url: URLSearchParams,
  spool: Spool,
): Promise<ExternalTable> {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    throw exception("BAD_ARGUMENTS", `'${name}' cannot be the name of an external table`);
  }
  return {
    name,
    structure: structureOf(name, url),
    format: formatOf(name, url),
    rows: await spool.write(Readable.from([Buffer.from(await file.arrayBuffer())])),
  };
}

function formatOf(name: string, url: URLSearchParams): string {
  const format = url.get(`${name}_format`) ?? "TabSeparated";
  if (/^\w+$/.test(format)) return format;
  throw exception(
    "UNKNOWN_FORMAT",
    `'${format}' is not a valid format of an external table. Allowed: one word. ` +
      `hint: set ${name}_format to a name such as CSV`,
  );
}

function structureOf(name: string, url: URLSearchParams): string {
  const structure = url.get(`${name}_structure`);
  if (structure) return structure;
  const types = url.get(`${name}_types`);
  if (types)
    return splitTypes(types)
      .map((type, i) => `_${i + 1} ${type}`)
      .join(", ");
  throw exception(
    "BAD_ARGUMENTS",
    `Neither structure nor types have been provided for external table ${name}. ` +
      `Use fields ${name}_structure or ${name}_types to do so`,
  );
}

/** Splits at commas outside brackets, because `Decimal(9, 2), String` are two types. */
const splitTypes = (types: string): string[] =>
  (types.match(/(?:[^,(]|\([^()]*(?:\([^()]*\)[^()]*)*\))+/g) ?? []).map((type) => type.trim());

export async function createTables(
  connection: Connection,
  tables: readonly ExternalTable[],
): Promise<void> {
  for (const { name, structure, format, rows } of tables) {
    // A session may have the table of an earlier request.
    await connection.query(`DROP TEMPORARY TABLE IF EXISTS ${name}`, "Null");
    // As an argument of null(), the structure can only define columns.
    await connection.query(
      `CREATE TEMPORARY TABLE ${name} ENGINE = Memory AS SELECT * FROM null(${quoted(structure)})`,
      "Null",
    );
    await connection.query(
      `INSERT INTO ${name} FROM INFILE '${rows.path}' COMPRESSION 'none' FORMAT ${format}`,
      "Null",
    );
  }
}
