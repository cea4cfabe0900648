import { exception, ServerException } from "../errors.ts";
import { openColumn, renamedType } from "./columns.ts";
import { Cursor } from "./cursor.ts";

/** Setting that makes the library write the time zone of a DateTime. */
const BINARY_TYPES = "output_format_native_encode_types_in_binary_format";

const WITH_TIME_ZONES = 54_337;
const WITH_SERIALIZATIONS = 54_454;
/** Block information: no overflow row (field 1), bucket -1 (field 2), end. */
const BLOCK_INFO = Buffer.of(1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0);
const USUAL_SERIALIZATION = Buffer.of(0);

export function askForTypes(settings: Map<string, string>): void {
  if (settings.has(BINARY_TYPES)) {
    throw exception(
      "NOT_IMPLEMENTED",
      `${BINARY_TYPES} cannot be used with client_protocol_version`,
    );
  }
  settings.set(BINARY_TYPES, "1");
}

/** Adds block information, type names and, from version 54454, serialization kinds. */
export async function* rewriteBlocks(
  blocks: AsyncIterable<Uint8Array>,
  version: number,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of blocks) yield rewritten(bytes, version);
}

function rewritten(bytes: Uint8Array, version: number): Buffer {
  const cursor = new Cursor(bytes);
  try {
    while (!cursor.isAtEnd) rewriteBlock(cursor, version);
    return cursor.copy();
  } catch (error) {
    if (error instanceof ServerException) throw error;
    throw exception(
      "NOT_IMPLEMENTED",
      "This result cannot be sent in Native format with client_protocol_version: remove settings " +
        "that change the Native format, or choose another format",
    );
  }
}

function rewriteBlock(cursor: Cursor, version: number): void {
  cursor.replaceSince(cursor.position, BLOCK_INFO);
  const columns = cursor.varint();
  const rows = cursor.varint();
  for (let column = 0; column < columns; column += 1) {
    cursor.text();
    const type = renamedType(cursor, version < WITH_TIME_ZONES ? withoutTimeZone : undefined);
    if (version >= WITH_SERIALIZATIONS) cursor.replaceSince(cursor.position, USUAL_SERIALIZATION);
    if (rows > 0) openColumn(cursor, type)(rows);
  }
}

const withoutTimeZone = (name: string): string => name.replace(/^DateTime\(.*/, "DateTime");
