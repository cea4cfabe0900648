import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../generator/config.ts";
import { loadDonors } from "../../../generator/dataset/donors.ts";
import { openDataset } from "../../../generator/dataset/format.ts";
import { readDatasetState } from "../../../generator/dataset/reader.ts";
import { validateDataset } from "../../../generator/dataset/validate.ts";
import { writeDataset } from "../../../generator/dataset/write.ts";
import { fingerprint } from "../../../generator/fingerprint.ts";
import { useFolder } from "../../support/use-folder.ts";

const stored = join(import.meta.dirname, "../../../data/sample");
const root = useFolder("sample");

/** Compressed bytes depend on the machine's compressor, so the test compares the content. */
async function content(dir: string, name: string): Promise<Buffer> {
  const bytes = await readFile(join(dir, name));
  return name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

describe("data/sample", () => {
  it("is what the command in its README writes", async () => {
    const made = join(root, "made");
    const [, end] =
      /GEN_MODEL_T_END=(\S+) /.exec(await readFile(join(stored, "../README.md"), "utf8")) ?? [];
    const config = parseConfig({ GEN_RUN_MODE: "backfill", GEN_MODEL_T_END: end });
    await writeDataset(made, config, await loadDonors(config));
    const names = await readdir(stored);
    expect(await readdir(made)).toEqual(names);
    for (const name of names) {
      const same = (await content(stored, name)).equals(await content(made, name));
      expect(same, `${name} differs: make data/sample again (data/README.md)`).toBe(true);
    }
  });

  it("is valid and small, and contains every defect", async () => {
    expect((await validateDataset(stored)).problems).toEqual([]);
    const { manifest } = await openDataset(stored);
    for (const [kind, counts] of Object.entries(manifest?.manifest.defects ?? {})) {
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
      expect(total, kind).toBeGreaterThan(0);
    }
    const sizes = (await readdir(stored)).map(
      async (name) => (await stat(join(stored, name))).size,
    );
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(2 * 1024 * 1024);
  });

  it("can be continued live at default settings", async () => {
    const config = parseConfig({ GEN_DATA_DIR: stored });
    const donors = await loadDonors(config);
    const state = await readDatasetState(await openDataset(stored), donors);
    expect(state?.fingerprint).toBe(fingerprint(config, donors.digest));
  });
});
