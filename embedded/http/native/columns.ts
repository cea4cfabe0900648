import { exception } from "../errors.ts";
import { type Cursor, lengthPrefixed } from "./cursor.ts";
import { type NativeType, readType } from "./types.ts";

type Values = (rows: number) => void;

/** Reads a column's prefix. @throws ServerException NOT_IMPLEMENTED for values of unknown length */
export function openColumn(cursor: Cursor, type: NativeType): Values {
  const open = (item: NativeType): Values => openColumn(cursor, item);
  switch (type.kind) {
    case "fixed":
      return (rows) => cursor.skip(rows * type.size);
    case "string":
      return strings(cursor);
    case "nullable":
      return inOrder([(rows) => cursor.skip(rows), open(type.item)]);
    case "array":
      return arrays(cursor, open(type.item));
    case "tuple":
      return inOrder(type.items.map(open));
    case "lowCardinality":
      return lowCardinality(cursor, type.item);
    case "variant":
      return variants(cursor, type.items);
    case "dynamic":
      return dynamic(cursor);
    case "json":
      return json(cursor, type.items);
    case "unknown":
      throw unsupported(type.name);
  }
}

const unsupported = (what: string) =>
  exception(
    "NOT_IMPLEMENTED",
    `${what} cannot be sent in Native format with client_protocol_version. Convert the value in the query ` +
      "(finalizeAggregation, toString), or choose another format, such as RowBinaryWithNamesAndTypes",
  );

const inOrder =
  (columns: readonly Values[]): Values =>
  (rows) => {
    for (const column of columns) column(rows);
  };

const strings =
  (cursor: Cursor): Values =>
  (rows) => {
    for (let row = 0; row < rows; row += 1) cursor.skip(cursor.varint());
  };

/** Reads the cumulative number of elements per row, then all elements. */
const arrays =
  (cursor: Cursor, items: Values): Values =>
  (rows) => {
    if (rows === 0) return items(0);
    cursor.skip((rows - 1) * 8);
    items(cursor.uint64());
  };

/** Reads the distinct values, then the index of each row's value. */
function lowCardinality(cursor: Cursor, item: NativeType): Values {
  cursor.skip(8);
  const keys = openColumn(cursor, item.kind === "nullable" ? item.item : item);
  return (rows) => {
    if (rows === 0) return;
    const placeBytes = 2 ** (cursor.uint64() % 256);
    keys(cursor.uint64());
    cursor.skip(cursor.uint64() * placeBytes);
  };
}

/** Reads each row's type number, then the values of each type. */
function variants(cursor: Cursor, types: readonly NativeType[]): Values {
  if (cursor.uint64() !== 0) throw unsupported("A Variant with compact discriminators");
  const columns = types.map((type) => openColumn(cursor, type));
  return (rows) => {
    const counts = new Array<number>(256).fill(0);
    for (const chosen of cursor.take(rows)) counts[chosen] = (counts[chosen] ?? 0) + 1;
    columns.forEach((column, i) => {
      column(counts[i] ?? 0);
    });
  };
}

/** Values of types beyond the limit of a Dynamic, each encoded in a string. */
const SHARED: NativeType = { kind: "string", name: "SharedVariant" };

function dynamic(cursor: Cursor): Values {
  const version = cursor.uint64();
  if (version !== 1 && version !== 2) throw unsupported(`Version ${version} of Dynamic`);
  if (version === 1) cursor.varint();
  const types = Array.from({ length: cursor.varint() }, () => renamedType(cursor));
  return variants(
    cursor,
    [...types, SHARED].sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
}

export function renamedType(cursor: Cursor, nameOf = (name: string) => name): NativeType {
  const from = cursor.position;
  const type = readType(cursor);
  cursor.replaceSince(from, lengthPrefixed(nameOf(type.name)));
  return type;
}

const JSON_AS_STRING = 1;

/** Reads the columns of typed paths, of other paths, and of those beyond the limit. */
function json(cursor: Cursor, typed: readonly NativeType[]): Values {
  const version = cursor.uint64();
  if (version === JSON_AS_STRING) return strings(cursor);
  if (version !== 0 && version !== 2) throw unsupported(`Version ${version} of JSON`);
  if (version === 0) cursor.varint();
  const paths = Array.from({ length: cursor.varint() }, () => cursor.text());
  const columns = typed.map((type) => openColumn(cursor, type));
  for (const _ of paths) columns.push(dynamic(cursor));
  const rest = arrays(cursor, inOrder([strings(cursor), strings(cursor)]));
  return inOrder([...columns, rest]);
}
