import { HOUR } from "../../../contract/time.ts";
import { runBackfill } from "../../../generator/backfill.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { parseConfig } from "../../../generator/config.ts";
import { DonorPool } from "../../../generator/model/donors.ts";

/**
 * Prints the manifest of a short backfill; the test runs it with other time zones and languages.
 */
const config = parseConfig({ GEN_MODEL_TIMEZONE: "Europe/Berlin" });
const tEnd = config.t0 + 12 * HOUR;
const discard = { publish: async () => {}, close: async () => {} };
const pool = new DonorPool(catalogueDonors(config.seed));
const { manifest } = await runBackfill({ ...config, tEnd }, pool, discard);
console.log(JSON.stringify(manifest));
