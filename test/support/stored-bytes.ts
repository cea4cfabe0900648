import { globSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";

/**
 * Lists the files below a folder that have one of the texts, as text or, for a UUID, in the form of ClickHouse. Blocks
 * that ClickHouse compressed are decompressed.
 */
export function filesWith(folder: string, texts: readonly string[]): string[] {
  const needles = texts.flatMap(formsOf);
  return globSync("**", { cwd: folder }).filter((name) => {
    const path = join(folder, name);
    const content = readIfThere(path);
    if (content === undefined) return false;
    const parts = [content, ...blocksOf(content)];
    return parts.some((part) => needles.some((needle) => part.includes(needle)));
  });
}

/** Returns nothing for a folder, and for a file that the engine has deleted in the meantime. */
function readIfThere(path: string): Buffer | undefined {
  try {
    return lstatSync(path).isFile() ? readFileSync(path) : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function formsOf(text: string): Buffer[] {
  const hex = text.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/i.test(hex)) return [Buffer.from(text)];
  const halves = [hex.slice(0, 16), hex.slice(16)].map((half) =>
    Buffer.from(half, "hex").reverse(),
  );
  return [Buffer.from(text.toLowerCase()), Buffer.from(text.toUpperCase()), Buffer.concat(halves)];
}

const CHECKSUM = 16;
const HEADER = 9;
const [NONE, LZ4, ZSTD] = [0x02, 0x82, 0x90];

/** Returns the content of the compressed blocks of a file; none if the file does not consist of blocks. */
function* blocksOf(file: Buffer): Generator<Buffer> {
  for (let at = 0; at + CHECKSUM + HEADER <= file.length; ) {
    const start = at + CHECKSUM;
    const method = file[start];
    const size = file.readUInt32LE(start + 1);
    if (start + size > file.length || size < HEADER) return;
    const data = file.subarray(start + HEADER, start + size);
    if (method === NONE) yield data;
    else if (method === LZ4) yield lz4(data, file.readUInt32LE(start + 5));
    else if (method === ZSTD) yield zstdDecompressSync(data);
    else return;
    at = start + size;
  }
}

/** https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md */
function lz4(input: Buffer, length: number): Buffer {
  const output = Buffer.alloc(length);
  let [from, to] = [0, 0];
  const lengthOf = (nibble: number): number => {
    let sum = nibble;
    for (let more = nibble === 15 ? 255 : 0; more === 255; sum += more) more = input[from++] ?? 0;
    return sum;
  };
  while (from < input.length) {
    const token = input[from++] ?? 0;
    const literals = lengthOf(token >> 4);
    input.copy(output, to, from, from + literals);
    from += literals;
    to += literals;
    if (from >= input.length) break;
    const offset = input.readUInt16LE(from);
    from += 2;
    // A match may overlap what it writes.
    for (let left = lengthOf(token & 15) + 4; left > 0; left--, to++)
      output[to] = output[to - offset] ?? 0;
  }
  return output;
}
