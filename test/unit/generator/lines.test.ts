import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineCursor, readLines } from "../../../generator/dataset/lines.ts";
import { useFolder } from "../../support/use-folder.ts";
import { anyCharacter } from "./any-character.ts";

const dir = useFolder("lines");

async function all(file: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const some of readLines(file)) lines.push(...some);
  return lines;
}

describe("lines", () => {
  it("are read with any content, gzipped or not, in chunks of any size", async () => {
    const line = fc
      .string({ unit: anyCharacter, maxLength: 30 })
      .map((text) => text.replaceAll("\n", "\u2028\r"));
    const portions = fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), portions, async (lines, sizes) => {
        const text = lines.map((each) => `${each}\n`).join("");
        await writeFile(join(dir, "a.jsonl"), text);
        // Two gzip members or zstd frames, split anywhere; each batch of a writer is one.
        const bytes = Buffer.from(text);
        const middle = Math.floor(bytes.length / 2);
        const members = [bytes.subarray(0, middle), bytes.subarray(middle)];
        await writeFile(
          join(dir, "a.jsonl.gz"),
          Buffer.concat(members.map((part) => gzipSync(part))),
        );
        expect(await all(join(dir, "a.jsonl"))).toEqual(lines);
        await writeFile(
          join(dir, "a.jsonl.zst"),
          Buffer.concat(members.map((part) => zstdCompressSync(part))),
        );
        expect(await all(join(dir, "a.jsonl.gz"))).toEqual(lines);
        expect(await all(join(dir, "a.jsonl.zst"))).toEqual(lines);
        const cursor = new LineCursor(join(dir, "a.jsonl.gz"));
        let from = 0;
        for (const size of [...sizes, lines.length + 1]) {
          expect(await cursor.take(size)).toEqual(lines.slice(from, from + size));
          from += size;
        }
        await cursor.close();
      }),
      { numRuns: 25, seed: 1 },
    );
  });

  it("counts a last line without a line end, and an empty line in between", async () => {
    await writeFile(join(dir, "b.jsonl"), "one\n\nthree");
    expect(await all(join(dir, "b.jsonl"))).toEqual(["one", "", "three"]);
  });

  it("removes a byte order mark", async () => {
    await writeFile(join(dir, "bom.jsonl"), "\uFEFFone\n\uFEFFtwo\n");
    expect(await all(join(dir, "bom.jsonl"))).toEqual(["one", "\uFEFFtwo"]);
  });

  it("reads a line that spans many chunks of the file", async () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `${i} ${"é".repeat(i % 97)}`);
    await writeFile(join(dir, "c.jsonl"), lines.join("\n"));
    expect(await all(join(dir, "c.jsonl"))).toEqual(lines);
  });

  it("refuses a file without line ends", async () => {
    await writeFile(join(dir, "d.jsonl"), "x".repeat(4 * 1024 * 1024 + 1));
    await expect(all(join(dir, "d.jsonl"))).rejects.toThrow("d.jsonl has a line of more than");
  });

  it("names a missing file", async () => {
    await expect(all(join(dir, "absent.jsonl"))).rejects.toThrow(
      /^There is no file .*absent\.jsonl$/,
    );
  });
});
