import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import type { MessageBatch } from "../../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../../contract/streams.ts";
import { HOUR, MINUTE } from "../../../contract/time.ts";
import { runBackfill } from "../../../generator/backfill.ts";
import { donorsFromDataset, loadDonors } from "../../../generator/dataset/donors.ts";
import { openDataset } from "../../../generator/dataset/format.ts";
import { readBatches, readDatasetState } from "../../../generator/dataset/reader.ts";
import { sliceBatches } from "../../../generator/dataset/slice.ts";
import { validateDataset } from "../../../generator/dataset/validate.ts";
import { writeDataset } from "../../../generator/dataset/write.ts";
import { DonorPool } from "../../../generator/model/donors.ts";
import { MemoryPublisher } from "../../support/memory-publisher.ts";
import { useFolder } from "../../support/use-folder.ts";
import { configWith, donors, hoursAfter, joined } from "./support.ts";

const base = configWith({ GEN_DEFECTS: "typical", GEN_LAMBDA_BASE_PER_MIN: "60" });
const config = { ...base, tEnd: hoursAfter(base, 3) };
const original = new MemoryPublisher();

const root = useFolder("dataset");
const dir = join(root, "set");

beforeAll(async () => {
  await writeDataset(dir, config, donors);
  await runBackfill(config, donors, original);
});

async function collect(batches: AsyncIterable<MessageBatch>): Promise<MessageBatch> {
  const all: MessageBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return joined(all);
}

/** A copy of the dataset for a test to damage. */
async function copyOf(name: string): Promise<string> {
  const copy = join(root, name);
  await cp(dir, copy, { recursive: true });
  return copy;
}

const linesOf = async (folder: string, stream: StreamName): Promise<string[]> =>
  gunzipSync(await readFile(join(folder, `${stream}.jsonl.gz`)))
    .toString()
    .trimEnd()
    .split("\n");

const store = (folder: string, stream: StreamName, lines: readonly string[]): Promise<void> =>
  writeFile(join(folder, `${stream}.jsonl.gz`), gzipSync(`${lines.join("\n")}\n`));

describe("a stored dataset", () => {
  it("returns the published messages in order, with the minute of emission", async () => {
    const batch = await collect(readBatches(await openDataset(dir)));
    for (const stream of STREAMS) {
      expect(batch[stream].values).toEqual(original.published[stream].values);
      const minutes = original.published[stream].emittedAt.map(
        (at) => Math.floor(Number(at) / MINUTE) * MINUTE,
      );
      expect(batch[stream].emittedAt).toEqual(minutes);
    }
  });

  it("finds every key except those of messages that were truncated before their id", async () => {
    const batch = await collect(readBatches(await openDataset(dir)));
    for (const stream of STREAMS) {
      const { values } = batch[stream];
      batch[stream].keys.forEach((key, i) => {
        if (key === null) expect(values[i]?.endsWith("}"), values[i]).toBe(stream === "location");
        else expect(key).toBe(original.published[stream].keys[i]);
      });
      const unknown = batch[stream].keys.filter((key) => key === null).length;
      expect(unknown / values.length).toBeLessThan(0.01);
    }
  });

  it("matches its own manifest, and every line is counted", async () => {
    const { lines, problems } = await validateDataset(dir);
    expect(problems).toEqual([]);
    for (const stream of STREAMS) expect(lines[stream]).toBe((await linesOf(dir, stream)).length);
  });

  it("is written again with the same bytes", async () => {
    const again = join(root, "again");
    await writeDataset(again, config, donors);
    for (const name of await readdir(dir)) {
      const [one, other] = [await readFile(join(dir, name)), await readFile(join(again, name))];
      expect(one.equals(other), name).toBe(true);
    }
  });

  it("contains the donors and the state from which live generation continues", async () => {
    const pool = await loadDonors({ dataDir: dir, seed: "whatever", scenario: null });
    expect(pool.digest).toBe(donors.digest);
    const state = await readDatasetState(await openDataset(dir), pool);
    const { state: expected } = await runBackfill(config, donors, new MemoryPublisher());
    expect(state).toEqual(expected);
  });
});

describe("a user's own dataset", () => {
  /** Only the four files, without gzip. */
  async function ownSet(): Promise<string> {
    const own = join(root, "own");
    await mkdir(own, { recursive: true });
    for (const stream of STREAMS) {
      await writeFile(join(own, `${stream}.jsonl`), (await linesOf(dir, stream)).join("\n"));
    }
    return own;
  }

  it("is read without clock and manifest, with broken lines unchanged", async () => {
    const own = await ownSet();
    const batch = await collect(readBatches(await openDataset(own)));
    for (const stream of STREAMS) {
      expect(batch[stream].values).toEqual(original.published[stream].values);
      expect(new Set(batch[stream].emittedAt)).toEqual(new Set([null]));
    }
    expect((await validateDataset(own)).problems).toEqual([]);
  });

  it("provides its complete sessions as consistent donors, without facts of their events", async () => {
    const folder = await ownSet();
    const lines = await linesOf(dir, "browser");
    const sold = lines.map((line) => line.replace(/}$/, ',"order_value":9.9,"currency":"EUR"}'));
    await writeFile(join(folder, "browser.jsonl"), sold.join("\n"));
    const repeated = (await linesOf(dir, "location")).flatMap((line) => [line, line]);
    await writeFile(join(folder, "location.jsonl"), repeated.join("\n"));
    const own = await openDataset(folder);
    const lent = await donorsFromDataset(own, 50);
    expect(new Set(lent.map(({ base_click_id }) => base_click_id)).size).toBe(50);
    expect(lent).toHaveLength(50);
    expect(new DonorPool(lent).size).toBe(50);
    const clicks = new Set(original.published.device.keys);
    for (const donor of lent) {
      expect(clicks.has(donor.base_click_id)).toBe(true);
      expect(donor.device.os_timezone).toBe(donor.geo.geo_timezone);
      const known = donors.facts.find((each) => each.geo.ip_address === donor.geo.ip_address);
      expect({ ...donor, base_click_id: known?.base_click_id }).toEqual(known);
    }
  });

  it("is the catalogue if the folder is missing or has only folders, and otherwise an error", async () => {
    for (const dataDir of [join(root, "absent"), root]) {
      expect((await loadDonors({ dataDir, seed: "test", scenario: null })).size).toBe(2000);
    }
    const other = join(root, "other");
    await mkdir(other);
    await writeFile(join(other, "notes.txt"), "");
    await expect(loadDonors({ dataDir: other, seed: "1", scenario: null })).rejects.toThrow(
      "browser.jsonl.gz, location.jsonl.gz, device.jsonl.gz, geo.jsonl.gz missing",
    );
  });
});

describe("a slice", () => {
  it.each([1, 50, 700])(
    "of %d rows has those rows, their sessions, and the whole last session",
    async (limit) => {
      const slice = await collect(sliceBatches(await openDataset(dir), limit));
      const { browser, location, device, geo } = original.published;
      const first = browser.values.slice(0, limit);
      expect(slice.browser.values.slice(0, limit)).toEqual(first);
      const last = browser.keys[limit - 1];
      const rest = browser.values.filter((_, i) => i >= limit && browser.keys[i] === last);
      expect(slice.browser.values.slice(limit)).toEqual(rest);
      const sessions = new Set(browser.keys.slice(0, limit));
      const ofSessions = (part: typeof device) =>
        part.values.filter((_, i) => sessions.has(part.keys[i] ?? null));
      expect(slice.device.values).toEqual(ofSessions(device));
      expect(slice.geo.values).toEqual(ofSessions(geo));
      const ids = new Set(slice.browser.values.map((text) => text.slice(13, 49)));
      expect(slice.location.values).toEqual(
        location.values.filter((text) => ids.has(text.slice(13, 49))),
      );
    },
  );

  it("that ends with a broken row has the rest of the session before it", async () => {
    const folder = await copyOf("broken");
    const [line = ""] = (await linesOf(dir, "browser")).filter((text) => text.endsWith("}"));
    await store(folder, "browser", [line, '{"event', line]);
    const slice = await collect(sliceBatches(await openDataset(folder), 2));
    expect(slice.browser.values).toEqual([line, '{"event', line]);
  });

  it("larger than the set is the set without lines that lack an id", async () => {
    const slice = await collect(sliceBatches(await openDataset(dir), 1e9));
    expect(slice.browser.values).toEqual(original.published.browser.values);
    expect(slice.device.values).toEqual(original.published.device.values);
  });
});

describe("damage", () => {
  it("of the content is found by count, digest and file", async () => {
    const copy = await copyOf("changed");
    const lines = await linesOf(copy, "device");
    await store(copy, "device", [...lines.slice(1), "", '{"click_id":7}']);
    const { problems } = await validateDataset(copy);
    expect(problems).toEqual([
      `device: ${lines.length + 1} lines, the manifest has ${lines.length}`,
    ]);
  });

  it("of one byte is found by the digests", async () => {
    const copy = await copyOf("byte");
    const lines = await linesOf(copy, "geo");
    await store(copy, "geo", [(lines[0] ?? "").replace("geo_", "gEo_"), ...lines.slice(1)]);
    expect((await validateDataset(copy)).problems).toEqual([
      "geo: the content does not match the manifest's sha256",
    ]);
  });

  it("of the manifest is found by its checksum", async () => {
    const copy = await copyOf("manifest");
    const file = join(copy, "manifest.json");
    const content = JSON.parse(await readFile(file, "utf8"));
    content.manifest.visits += 1;
    await writeFile(file, JSON.stringify(content));
    expect((await validateDataset(copy)).problems).toEqual([
      "manifest.json: the checksum does not match the content",
    ]);
  });

  it("of a gzip file is reported with its name, and stops the reader", async () => {
    const copy = await copyOf("gzip");
    const file = join(copy, "geo.jsonl.gz");
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, bytes.length - 20));
    const { problems } = await validateDataset(copy);
    expect(problems[0]).toMatch(/^geo\.jsonl\.gz cannot be read: unexpected end of file/);
    await expect(collect(readBatches(await openDataset(copy)))).rejects.toThrow(
      "geo.jsonl.gz cannot be read",
    );
  });

  it("of the clock stops the reader with the line", async () => {
    const copy = await copyOf("clock");
    await writeFile(join(copy, "clock.jsonl.gz"), gzipSync('{"emitted_at":"soon"}\n'));
    await expect(collect(readBatches(await openDataset(copy)))).rejects.toThrow(
      'clock.jsonl.gz:1 is not a clock row: {"emitted_at":"soon"}',
    );
  });

  it("such as a duplicate file, a bad manifest or a missing folder is refused", async () => {
    const copy = await copyOf("double");
    await writeFile(join(copy, "geo.jsonl"), "");
    await expect(openDataset(copy)).rejects.toThrow("both geo.jsonl and geo.jsonl.gz exist");
    const bad = await copyOf("format");
    await writeFile(join(bad, "manifest.json"), '{"format":9}');
    await expect(openDataset(bad)).rejects.toThrow("not a dataset manifest of format 1: format");
    await expect(openDataset(join(root, "absent"))).rejects.toThrow("no such folder");
  });
});

describe("writing", () => {
  it("refuses a folder with files", async () => {
    await expect(writeDataset(dir, config, donors)).rejects.toThrow("the folder is not empty");
  });

  it("accepts an empty folder", async () => {
    const empty = join(root, "empty");
    await mkdir(empty);
    const short = { ...config, tEnd: config.t0 + MINUTE };
    await writeDataset(empty, short, donors);
    expect((await validateDataset(empty)).problems).toEqual([]);
  });

  it.each([
    ["the first write", 0],
    ["a later write", 3],
  ])("on a full disk at %s gives one clear error and leaves nothing behind", async (_, room) => {
    const target = join(root, `full-${room}`);
    const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    let writes = 0;
    const openFile = async () => ({
      appendFile: async () => {
        writes += 1;
        if (writes > room) throw full;
      },
      close: async () => {},
    });
    await expect(writeDataset(target, config, donors, { openFile })).rejects.toThrow(
      `Dataset ${target}: the disk is full (ENOSPC). Partial output was removed`,
    );
    expect((await readdir(root)).filter((name) => name.startsWith(`full-${room}`))).toEqual([]);
  });

  it("leaves nothing behind if the backfill fails", async () => {
    const target = join(root, "failed");
    const onProgress = () => {
      throw new Error("stopped");
    };
    await expect(writeDataset(target, config, donors, { onProgress })).rejects.toThrow("stopped");
    expect((await readdir(root)).filter((name) => name.startsWith("failed"))).toEqual([]);
  });

  it("writes empty streams that can be read", async () => {
    const quiet = join(root, "quiet");
    const idle = { ...config, eventsPerMinute: 0.001, minEventsPerTick: 0, tEnd: config.t0 + HOUR };
    const { manifest } = await writeDataset(quiet, idle, donors);
    const batch = await collect(readBatches(await openDataset(quiet)));
    expect(batch.browser.values).toHaveLength(manifest.counts.browser);
    expect((await validateDataset(quiet)).problems).toEqual([]);
  });
});
