import { catalogueDonors } from "../catalogue/donors.ts";
import { parseConfig } from "../config.ts";
import { DonorPool } from "../model/donors.ts";
import type { DatasetManifest } from "./format.ts";
import { writeDataset } from "./write.ts";

/** Settings of the sample: the first day of the default history, which live mode continues. */
const SAMPLE_ENVIRONMENT = {
  GEN_RUN_MODE: "backfill",
  GEN_MODEL_T_END: "2026-01-02T00:00:00Z",
};

export function writeSample(dir: string): Promise<DatasetManifest> {
  const config = parseConfig(SAMPLE_ENVIRONMENT);
  return writeDataset(dir, config, new DonorPool(catalogueDonors(config.seed)));
}

if (import.meta.main) {
  const [dir = "data/sample"] = process.argv.slice(2);
  const { manifest } = await writeSample(dir);
  console.log(`${dir}: ${manifest.counts.browser} browser rows, checksum ${manifest.checksum}`);
}
