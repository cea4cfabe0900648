import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cityHash128 } from "../../../embedded/http/city-hash.ts";
import { createBlockEncoder, decodeBlocks } from "../../../embedded/http/compressed-blocks.ts";
import { decodeBlock, decodeLz4 } from "../../../embedded/http/lz4.ts";
import { literalBlock } from "../../../embedded/http/lz4-encoder.ts";
import { askRaw, startTestServer, type TestServer } from "./support.ts";

const bytesOf = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => (i * 31 + 7) & 255));

describe("cityHash128", () => {
  // Hashes of the same bytes by ClickHouse's Java client (ClickHouseCityHash of client-v2 0.9.4).
  it.each([
    [8, "f5a4ca47208136a03dd4575b3d46e5ab"],
    [9, "338434c54a2565e11001bbb07bd33771"],
    [15, "d956065c63d9ab159623caadd0037b73"],
    [16, "3f3a3275564b7f48b48a2a7a16bac60b"],
    [17, "aee34bf68bb2e0a2e0d6910555f00b87"],
    [24, "5adfe1a6eab14c05f76c0804fe96ed75"],
    [31, "9b7f93e5ecfaed63d646e40154fb0d6b"],
    [32, "250e8c8007bfad61e42486b6776ae8db"],
    [33, "4e495b057af3b520abae1d24f18410b5"],
    [64, "e225cf33b373dc028d252ce5152d6d96"],
    [127, "c244dc8a06ce8c41f30e2cf6b33629a6"],
    [128, "ba863c0c70f3234624b156fc6f3c170a"],
    [143, "59abee69ce16e6a383e91d7a8903bfbe"],
    [144, "2ca82631884c46a771edb8d50338bb1f"],
    [159, "153212af41a165d167f31b763b6e0566"],
    [175, "bc0edcc4bbcc122f17960d55d067e3f7"],
    [191, "2f4f8ba535aa5f81b5694954efdb1784"],
    [255, "c87d0f456f6a514bf35b13ec94eb8a52"],
    [257, "d4cb7b11f9ef2055ae5243f6dbcd4c28"],
    [1000, "597ff4957972ad7e7f39a4abd7c010e1"],
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
  it.each([1, 14, 15, 16, 269, 270, 271, 70_000, (1 << 20) + 5])(
    "of %i bytes are decoded unchanged",
    async (length) => {
      const encoder = createBlockEncoder();
      encoder.end(bytesOf(length));
      const packed = Buffer.concat(await encoder.toArray());
      expect(packed[16]).toBe(0x82);
      expect((await unpack(packed)).equals(bytesOf(length))).toBe(true);
    },
  );

  it("are read with every method", async () => {
    const content = bytesOf(1000);
    const blocks = [
      blockOf(0x02, content, 1000),
      blockOf(0x82, literalBlock(content), 1000),
      blockOf(0x90, zstdCompressSync(content), 1000),
    ];
    expect(await unpack(Buffer.concat(blocks))).toEqual(Buffer.concat([content, content, content]));
    await expect(unpack(blockOf(0x91, content, 1000))).rejects.toThrow(
      "Unknown compression method: 145",
    );
  });

  it("are refused if damaged", async () => {
    const block = blockOf(0x02, bytesOf(100), 100);
    block.writeUInt8(1, 60);
    await expect(unpack(block)).rejects.toThrow("Checksum doesn't match");
    await expect(unpack(block.subarray(0, 50))).rejects.toThrow("unexpected end");
    await expect(unpack(blockOf(0x02, Buffer.alloc(0), 1 << 30))).rejects.toThrow("too large");
  });
});

it("a block uses memory for its content, not for its claimed size", async () => {
  const packed = literalBlock(bytesOf(10));
  expect(decodeBlock(packed, new Uint8Array(0), 256 << 20).buffer.byteLength).toBeLessThan(100_000);
});

it("damaged ZSTD is the client's error", async () => {
  const type = { type: "ZSTD_DECODER_FAILED" };
  await expect(unpack(blockOf(0x90, bytesOf(100), 100))).rejects.toMatchObject(type);
  const longer = blockOf(0x90, zstdCompressSync(Buffer.alloc(100_000)), 10);
  await expect(unpack(longer)).rejects.toMatchObject(type);
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

  it("results are an LZ4 frame for a client that accepts nothing else", async () => {
    const answer = await askRaw(
      server,
      "/?enable_http_compression=1",
      "SELECT number FROM numbers(500000)",
      { "Accept-Encoding": "lz4" },
    );
    expect(answer.headers["content-encoding"]).toBe("lz4");
    expect((await unpack(answer.body, decodeLz4)).length).toBe(3_388_890);
    const path = join(server.directory, "answer.lz4");
    writeFileSync(path, answer.body);
    const sql = `SELECT count() FROM file('${path}', 'TSV', 'a UInt64', 'lz4')`;
    expect((await server.ask(sql)).text).toBe("500000\n");
  });

  it("errors use them, before and after the first rows", async () => {
    const early = await askRaw(server, "/?compress=1", "SELECT nope");
    expect([early.status, (await unpack(early.body)).toString()]).toEqual([
      404,
      expect.stringMatching(/^Code: 47\. DB::Exception: /),
    ]);
    const late = await askRaw(
      server,
      "/?compress=1&max_block_size=10000",
      "SELECT number, throwIf(number = 900000, 'late') FROM numbers(1000000)",
    );
    expect(late.complete).toBe(false);
    expect((await unpack(late.body)).toString()).toMatch(
      /\r\n__exception__\r\n\w+\r\nCode: 395\. DB::Exception: late/,
    );
    const damaged = await askRaw(server, "/?decompress=1", "SELECT 1");
    expect(damaged.headers["x-clickhouse-exception-code"]).toBe("618");
  });

  it.each(["SELEC 1", "SELECT 1 INTO OUTFILE 'f'"])("refusals use them: %s", async (sql) => {
    const path = "/?compress=1&query_id=refused";
    const answer = await askRaw(server, path, sql);
    expect(answer.headers["x-clickhouse-query-id"]).toBe("refused");
    expect((await unpack(answer.body)).toString()).toMatch(/^Code: \d+\. DB::Exception: /);
    const zipped = await askRaw(server, "/?enable_http_compression=1&query_id=refused", sql, {
      "Accept-Encoding": "gzip",
    });
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(zipped.body)).toEqual(await unpack(answer.body));
  });

  it("the engine's own files have the same checksums", async () => {
    await server.ask("INSERT INTO packed SELECT number, toString(number) FROM numbers(100000)");
    const [path] = globSync(join(server.directory, "data/store/*/*/all_2_2_0/data.bin"));
    const file = readFileSync(path ?? "");
    let blocks = 0;
    for (let at = 0; at < file.length; blocks += 1) {
      const end = at + 16 + file.readUInt32LE(at + 17);
      expect(cityHash128(file.subarray(at + 16, end))).toEqual(file.subarray(at, at + 16));
      at = end;
    }
    expect(blocks).toBeGreaterThan(1);
  });
});
