import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askRaw, startTestServer, type TestServer } from "./support.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const SETTINGS = "allow_suspicious_low_cardinality_types=1&enable_time_time64_type=1";

async function native(sql: string, version?: number): Promise<Buffer> {
  const asked = version === undefined ? "" : `&client_protocol_version=${version}`;
  const answer = await askRaw(server, `/?default_format=Native&${SETTINGS}${asked}`, sql);
  expect([answer.status, answer.status === 200 ? "" : answer.body.toString()]).toEqual([200, ""]);
  return answer.body;
}

const BLOCK_INFO = Buffer.from("010002ffffffff00", "hex");
const USUAL = Buffer.of(0);
const ROWS = 40;

/**
 * Adds the parts for a client of version 54454 to the engine's block of the columns `x` and `e` (a
 * String of 3 letters). These are block information, and a byte after each column's type.
 */
function withProtocol(block: Buffer): Buffer {
  // 2 columns, 40 rows, length and name of the first column, length of its type (one or two bytes).
  const typeLength = block.readUInt8(4);
  const typeEnd =
    typeLength < 128 ? 5 + typeLength : 6 + (typeLength & 127) + 128 * block.readUInt8(5);
  const lastEnd = block.length - ROWS * 4;
  return Buffer.concat([
    BLOCK_INFO,
    block.subarray(0, typeEnd),
    USUAL,
    block.subarray(typeEnd, lastEnd),
    USUAL,
    block.subarray(lastEnd),
  ]);
}

const TYPES = [
  "UInt8; UInt16; UInt32; UInt64; UInt128; UInt256; Int8; Int16; Int32; Int64; Int128; Int256",
  "Float32; Float64; Date; Date32; DateTime; String; UUID; IPv4; IPv6; Bool; Tuple()",
  "Decimal(9, 2); Decimal(18, 3); Decimal(38, 4); Decimal(76, 5); DateTime64(3); FixedString(5)",
  "DateTime64(6, 'Asia/Tokyo'); Array(DateTime('Asia/Tokyo')); Nullable(DateTime('Asia/Tokyo'))",
  "Enum8('a' = -1, 'b\\'c' = 2); Enum16('ö' = 1000, 'x' = -2)",
  "Nullable(String); Array(Array(Nullable(UInt16))); Map(String, Array(UInt8)); LowCardinality(String)",
  "LowCardinality(Nullable(String)); LowCardinality(DateTime('UTC')); Array(LowCardinality(String))",
  "Map(LowCardinality(String), LowCardinality(Nullable(UInt32))); Nested(a UInt8, `b c` String)",
  "Tuple(UInt8, String); Tuple(a LowCardinality(String), `b c` Array(Tuple(x UInt8)))",
  "Point; Ring; LineString; MultiLineString; Polygon; MultiPolygon",
  "SimpleAggregateFunction(sum, UInt64)",
].flatMap((line) => line.split("; "));

/** Values that generateRandom cannot generate. */
const EXPRESSIONS = [
  ...["BFloat16", "Time", "Time64(3)", "IntervalDay", "IntervalNanosecond", "IntervalYear"].map(
    (type) => `defaultValueOfTypeName('${type}')`,
  ),
  "defaultValueOfTypeName('SimpleAggregateFunction(groupArrayArray(3), Array(UInt8))')",
  "NULL",
  "[]::Array(LowCardinality(String))",
  "defaultValueOfTypeName('QBit(Float32, 9)')",
  "CAST((1, 2), 'Point')::Geometry",
  "number::Dynamic",
  "multiIf(number % 4 = 0, number::Dynamic, number % 4 = 1, 'text'::Dynamic, number % 4 = 2, [toDateTime(number, 'Asia/Tokyo')]::Dynamic, NULL::Dynamic)",
  "multiIf(number % 3 = 0, number, number % 3 = 1, 'text', [number])::Variant(UInt64, String, Array(UInt64))::Dynamic(max_types = 1)",
  "[number::Dynamic, 'x'::Dynamic]",
  'concat(\'{"a":\', number, \', "b":{"c":[1,"x"], "d":"\', number % 3, \'"}}\')::JSON',
  "concat('{\"k', number % 7, '\":1, \"a\":{\"b\":5}}')::JSON(max_dynamic_paths = 3, max_dynamic_types = 2, a.b UInt32, SKIP c, SKIP REGEXP 'd.*')",
  `['{"a":{"b":[{"c":1},{"d":"x"}]}}'::JSON, '{}'::JSON]`,
  "if(number % 3 = 0, number::Variant(UInt64, Array(LowCardinality(String))), [toString(number)]::Array(LowCardinality(String))::Variant(UInt64, Array(LowCardinality(String))))",
  "tuple(number::Dynamic, '{}'::JSON)",
];

describe("Native for a protocol version is the engine's own, with the version's additions", () => {
  it.each(TYPES)("%s", async (type) => {
    const structure = `x ${type}`.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
    const sql = `SELECT x, 'end' AS e FROM generateRandom('${structure}', 7, 5, 3) LIMIT ${ROWS}`;
    expect(await native(sql, 54_454)).toEqual(withProtocol(await native(sql)));
  });

  it.each(EXPRESSIONS)("%s", async (expression) => {
    const sql = `SELECT ${expression} AS x, 'end' AS e FROM numbers(${ROWS})`;
    expect(await native(sql, 54_460)).toEqual(withProtocol(await native(sql)));
  });
});

it("names the time zone of a DateTime from version 54337, and serializations from 54454", async () => {
  const sql = "SELECT toDateTime(1676369730, 'Asia/Shanghai') AS dt";
  const column = (type: string, more: string): string =>
    `010102${hex("dt")}${hex(String.fromCharCode(type.length) + type)}${more}425feb63`;
  expect((await native(sql)).toString("hex")).toBe(column("DateTime", ""));
  const info = BLOCK_INFO.toString("hex");
  expect((await native(sql, 54_336)).toString("hex")).toBe(info + column("DateTime", ""));
  const zone = "DateTime('Asia/Shanghai')";
  expect((await native(sql, 54_337)).toString("hex")).toBe(info + column(zone, ""));
  expect((await native(sql, 54_454)).toString("hex")).toBe(info + column(zone, "00"));
});

const hex = (text: string): string => Buffer.from(text).toString("hex");

it("sends several blocks, and none for no rows", async () => {
  const sql = "SELECT number AS x FROM numbers(3) SETTINGS max_block_size = 1, max_threads = 1";
  const block = (n: number): Buffer =>
    Buffer.concat([
      BLOCK_INFO,
      Buffer.from("\x01\x01\x01x\x06UInt64\0"),
      Buffer.of(n, 0, 0, 0, 0, 0, 0, 0),
    ]);
  expect(await native(sql, 54_460)).toEqual(Buffer.concat([block(0), block(1), block(2)]));
  expect(await native(`${sql}, extremes = 1`, 54_460)).toEqual(
    Buffer.concat([block(0), block(1), block(2)]),
  );
  expect(await native("SELECT 1 WHERE 0", 54_460)).toHaveLength(0);
});

it("leaves other formats and later queries of a session unchanged", async () => {
  const url = { client_protocol_version: "54460", session_id: "versions" };
  const types = { ...url, default_format: "RowBinaryWithNamesAndTypes" };
  expect((await server.ask("SELECT 1 AS x", { url: types })).text).toBe("\x01\x01x\x05UInt8\x01");
  expect((await server.ask("SELECT 1 AS x FORMAT Native", { url })).text).toContain("UInt8\0");
  expect((await server.ask("SELECT 1 AS x", { url: types })).text).toBe("\x01\x01x\x05UInt8\x01");
});

it.each([
  [
    "SELECT uniqState(1) AS x",
    "",
    "AggregateFunction(uniq, UInt8) cannot be sent in Native format",
  ],
  [
    "SELECT 1 SETTINGS output_format_native_encode_types_in_binary_format = 0",
    "",
    "This result cannot be sent in Native format",
  ],
  [
    "SELECT 1",
    "&output_format_native_encode_types_in_binary_format=1",
    "cannot be used with client_protocol_version",
  ],
])("refuses unsupported types with a hint: %s%s", async (sql, more, message) => {
  const path = `/?default_format=Native&client_protocol_version=54460${more}`;
  const { body, headers } = await askRaw(server, path, sql);
  expect(headers["x-clickhouse-exception-code"]).toBe("48");
  expect(body.toString()).toContain(message);
});
