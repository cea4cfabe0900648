import { exception } from "../errors.ts";
import { quoted } from "../parameters.ts";
import type { Cursor } from "./cursor.ts";

export type NativeType = { readonly name: string } & Layout;

type Layout =
  | { readonly kind: "fixed"; readonly size: number }
  | { readonly kind: "string" | "dynamic" | "unknown" }
  | { readonly kind: "nullable" | "array" | "lowCardinality"; readonly item: NativeType }
  | { readonly kind: "tuple" | "variant"; readonly items: readonly NativeType[] }
  | { readonly kind: "json"; readonly items: readonly NativeType[] };

/** Reads a type in ClickHouse's binary encoding. @throws ServerException for an unknown type */
export function readType(cursor: Cursor): NativeType {
  const tag = cursor.byte();
  const simple = FIXED[tag];
  if (simple) return { kind: "fixed", name: simple[0], size: simple[1] };
  const read = READERS[tag];
  if (read) return read(cursor);
  throw exception(
    "NOT_IMPLEMENTED",
    `The data type with the binary code 0x${tag.toString(16)} cannot be sent with client_protocol_version`,
  );
}

/** Fixed-size types by code: name and bytes per value. */
const FIXED: Readonly<Record<number, readonly [string, number]>> = {
  0: ["Nothing", 1],
  1: ["UInt8", 1],
  2: ["UInt16", 2],
  3: ["UInt32", 4],
  4: ["UInt64", 8],
  5: ["UInt128", 16],
  6: ["UInt256", 32],
  7: ["Int8", 1],
  8: ["Int16", 2],
  9: ["Int32", 4],
  10: ["Int64", 8],
  11: ["Int128", 16],
  12: ["Int256", 32],
  13: ["Float32", 4],
  14: ["Float64", 8],
  15: ["Date", 2],
  16: ["Date32", 4],
  17: ["DateTime", 4],
  29: ["UUID", 16],
  40: ["IPv4", 4],
  41: ["IPv6", 16],
  45: ["Bool", 1],
  49: ["BFloat16", 2],
  50: ["Time", 4],
};

const fixed = (name: string, size: number): NativeType => ({ kind: "fixed", name, size });
const STRING: NativeType = { kind: "string", name: "String" };

const READERS: Readonly<Record<number, (cursor: Cursor) => NativeType>> = {
  18: (c) => fixed(`DateTime(${quoted(c.text())})`, 4),
  19: (c) => fixed(`DateTime64(${c.byte()})`, 8),
  20: (c) => fixed(`DateTime64(${c.byte()}, ${quoted(c.text())})`, 8),
  21: () => STRING,
  22: (c) => {
    const size = c.varint();
    return fixed(`FixedString(${size})`, size);
  },
  23: (c) => enumType(c, "Enum8", 1),
  24: (c) => enumType(c, "Enum16", 2),
  25: (c) => decimal(c, 4),
  26: (c) => decimal(c, 8),
  27: (c) => decimal(c, 16),
  28: (c) => decimal(c, 32),
  30: (c) => array(readType(c)),
  31: (c) => unnamed("Tuple", list(c, readType)),
  32: (c) => named("Tuple", list(c, field)),
  34: (c) => fixed(`Interval${INTERVALS[c.byte()]}`, 8),
  35: (c) => {
    const item = readType(c);
    return { kind: "nullable", name: `Nullable(${item.name})`, item };
  },
  37: (c) => {
    c.varint();
    const { name } = functionOf(c);
    return { kind: "unknown", name: `AggregateFunction(${name})` };
  },
  38: (c) => {
    const item = readType(c);
    return { kind: "lowCardinality", name: `LowCardinality(${item.name})`, item };
  },
  39: (c) => {
    const entry = unnamed("Map", [readType(c), readType(c)]);
    return { ...array(entry), name: entry.name };
  },
  42: (c) => {
    const items = list(c, readType);
    return { kind: "variant", name: unnamed("Variant", items).name, items };
  },
  43: (c) => {
    const most = c.byte();
    return { kind: "dynamic", name: most === 32 ? "Dynamic" : `Dynamic(max_types=${most})` };
  },
  44: (c) => customType(c.text()),
  46: (c) => {
    const { name, stored } = functionOf(c);
    return { ...stored, name: `SimpleAggregateFunction(${name})` };
  },
  47: (c) => {
    const row = named("Nested", list(c, field));
    return { ...array(row), name: row.name };
  },
  48: json,
  52: (c) => fixed(`Time64(${c.byte()})`, 8),
  54: (c) => {
    const item = readType(c);
    const dimension = c.varint();
    const planes = item.kind === "fixed" ? item.size * 8 : 0;
    return fixed(`QBit(${item.name}, ${dimension})`, planes * Math.ceil(dimension / 8));
  },
};

const INTERVALS =
  "Nanosecond Microsecond Millisecond Second Minute Hour Day Week Month Quarter Year".split(" ");

function list<T>(cursor: Cursor, read: (cursor: Cursor) => T): T[] {
  return Array.from({ length: cursor.varint() }, () => read(cursor));
}

type Field = readonly [string, NativeType];
const field = (cursor: Cursor): Field => [cursor.text(), readType(cursor)];

const array = (item: NativeType): NativeType => ({
  kind: "array",
  name: `Array(${item.name})`,
  item,
});

/** Creates a tuple type; one without elements has one byte per row. */
const tuple = (name: string, items: readonly NativeType[]): NativeType =>
  items.length === 0 ? fixed(name, 1) : { kind: "tuple", name, items };

function unnamed(of: string, items: readonly NativeType[]): NativeType {
  return tuple(`${of}(${items.map(({ name }) => name).join(", ")})`, items);
}

function named(of: string, fields: readonly Field[]): NativeType {
  const texts = fields.map(([name, type]) => `${identifier(name)} ${type.name}`);
  return tuple(
    `${of}(${texts.join(", ")})`,
    fields.map(([, type]) => type),
  );
}

const identifier = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replace(/[\\`]/g, "\\$&")}\``;

function enumType(cursor: Cursor, of: string, size: 1 | 2): NativeType {
  const values = list(cursor, () => {
    const name = quoted(cursor.text());
    return `${name} = ${cursor.take(size).readIntLE(0, size)}`;
  });
  return fixed(`${of}(${values.join(", ")})`, size);
}

const decimal = (cursor: Cursor, size: number): NativeType =>
  fixed(`Decimal(${cursor.byte()}, ${cursor.byte()})`, size);

/** Reads an aggregate function and the type of the first argument. */
function functionOf(cursor: Cursor): { name: string; stored: NativeType } {
  const called = cursor.text();
  const parameters = list(cursor, parameter);
  const types = list(cursor, readType);
  const call = parameters.length === 0 ? called : `${called}(${parameters.join(", ")})`;
  const name = [call, ...types.map((type) => type.name)].join(", ");
  return { name, stored: types[0] ?? { kind: "unknown", name } };
}

const NUMBER_PARAMETER = 1;
const FLOAT_PARAMETER = 7;

function parameter(cursor: Cursor): string {
  const tag = cursor.byte();
  if (tag === NUMBER_PARAMETER) return String(cursor.varint());
  if (tag === FLOAT_PARAMETER) return String(cursor.take(8).readDoubleLE());
  throw exception(
    "NOT_IMPLEMENTED",
    `Aggregate-function parameter of type 0x${tag.toString(16).padStart(2, "0")} is not supported with client_protocol_version`,
  );
}

const FLOAT = fixed("Float64", 8);
const POINT: NativeType = { kind: "tuple", name: "Point", items: [FLOAT, FLOAT] };
const RING: NativeType = { kind: "array", name: "Ring", item: POINT };
const POLYGON: NativeType = { kind: "array", name: "Polygon", item: RING };
const LINE: NativeType = { ...RING, name: "LineString" };
const LINES: NativeType = { ...POLYGON, name: "MultiLineString" };
const POLYGONS: NativeType = { kind: "array", name: "MultiPolygon", item: POLYGON };
const SHAPES = [LINE, LINES, POLYGONS, POINT, POLYGON, RING];
const GEOMETRY: NativeType = { kind: "variant", name: "Geometry", items: SHAPES };

const customType = (name: string): NativeType =>
  [...SHAPES, GEOMETRY].find((type) => type.name === name) ?? { kind: "unknown", name };

const DEFAULT_PATHS = 1024;
const DEFAULT_TYPES = 32;

function json(cursor: Cursor): NativeType {
  cursor.byte();
  const [mostPaths, mostTypes] = [cursor.varint(), cursor.byte()];
  const typed = list(cursor, field).sort(([a], [b]) => (a < b ? -1 : 1));
  const skipped = list(cursor, (c) => `SKIP ${identifier(c.text())}`);
  const patterns = list(cursor, (c) => `SKIP REGEXP ${quoted(c.text())}`);
  const parts = [
    ...(mostTypes === DEFAULT_TYPES ? [] : [`max_dynamic_types=${mostTypes}`]),
    ...(mostPaths === DEFAULT_PATHS ? [] : [`max_dynamic_paths=${mostPaths}`]),
    ...typed.map(([name, type]) => `${identifier(name)} ${type.name}`),
    ...skipped,
    ...patterns,
  ];
  const name = parts.length === 0 ? "JSON" : `JSON(${parts.join(", ")})`;
  return { kind: "json", name, items: typed.map(([, type]) => type) };
}
