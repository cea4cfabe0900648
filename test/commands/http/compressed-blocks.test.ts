import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cityHash128 } from "../../../embedded/http/city-hash.ts";
import { decodeBlocks } from "../../../embedded/http/compressed-blocks.ts";
import { literalBlock } from "../../../embedded/http/lz4-encoder.ts";
import { askRaw, startTestServer, type TestServer } from "./support.ts";

const bytesOf = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => (i * 31 + 7) & 255));

describe("cityHash128", () => {
  // Hashes of the same bytes by ClickHouse's Java client (ClickHouseCityHash of client-v2 0.9.4).
  it.each([
    [8, "f5a4ca47208136a03dd4575b3d46e5ab"],
    [128, "ba863c0c70f3234624b156fc6f3c170a"],
    [70000, "ac51af72b781280e6b12e11e5fe84f19"],
  ])("of %i bytes", (length, expected) => {
    const hash = cityHash128(bytesOf(length));
    const words = [hash.readBigUInt64LE(0), hash.readBigUInt64LE(8)];
    expect(words.map((word) => word.toString(16).padStart(16, "0")).join("")).toBe(expected);
  });
});

/** A block as a client writes it. */
function blockOf(method: number, body: Buffer, contentSize: number): Buffer {
  const block = Buffer.alloc(9 + body.length);
  block.writeUInt8(method, 0);
  block.writeUInt32LE(9 + body.length, 1);
  block.writeUInt32LE(contentSize, 5);
  body.copy(block, 9);
  return Buffer.concat([cityHash128(block), block]);
}

const unpack = async (bytes: Buffer, decode = decodeBlocks): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  async function* source() {
    // Two chunks, split within the header.
    yield bytes.subarray(0, 7);
    yield bytes.subarray(7);
  }
  for await (const part of decode(source())) parts.push(part);
  return Buffer.concat(parts);
};

describe("ClickHouse's blocks", () => {
  it("are refused if damaged", async () => {
    const block = blockOf(0x02, bytesOf(100), 100);
    block.writeUInt8(1, 60);
    await expect(unpack(block)).rejects.toThrow("Checksum doesn't match");
    await expect(unpack(block.subarray(0, 50))).rejects.toThrow("unexpected end");
    await expect(unpack(blockOf(0x02, Buffer.alloc(0), 1 << 30))).rejects.toThrow("too large");
  });
});

describe("over HTTP", () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
    await server.ask("CREATE TABLE packed (a UInt64, s String) ENGINE = MergeTree ORDER BY a");
  });
  afterAll(() => server.stop());

  it("rows are sent and received in them", async () => {
    const rows = Buffer.from("1\tone\n2\ttwo\n");
    const statement = "/?decompress=1&query=INSERT+INTO+packed+FORMAT+TSV";
    const inserted = await askRaw(
      server,
      statement,
      blockOf(0x82, literalBlock(rows), rows.length),
    );
    expect(inserted.status).toBe(200);
    const read = await askRaw(server, "/?compress=1", "SELECT * FROM packed ORDER BY a");
    expect(read.headers["content-encoding"]).toBeUndefined();
    expect(await unpack(read.body)).toEqual(rows);
    const many = await askRaw(server, "/?compress=1", "SELECT number FROM numbers(500000)");
    expect((await unpack(many.body)).length).toBe(3_388_890);
  });
});
