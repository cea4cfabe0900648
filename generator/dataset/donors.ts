import { UserError } from "../../contract/errors.ts";
import { parseJson } from "../../contract/json.ts";
import { type Payload, payloadSchemas, type StreamName } from "../../contract/streams.ts";
import { donorPool } from "../behaviour/scenario/donors.ts";
import { CATALOGUE_SIZE } from "../catalogue/donors.ts";
import type { GeneratorConfig } from "../config.ts";
import { type Donor, type DonorPool, donorSchema } from "../model/donors.ts";
import { type Dataset, hasFiles, openDataset } from "./format.ts";
import { readLines } from "./lines.ts";

/** Loads donors from GEN_DATA_DIR, or the catalogue if the folder has no dataset. @throws UserError */
export async function loadDonors(
  config: Pick<GeneratorConfig, "dataDir" | "seed" | "scenario">,
): Promise<DonorPool> {
  if (!(await hasFiles(config.dataDir))) return donorPool(config);
  return donorPool(config, await donorsFromDataset(await openDataset(config.dataDir)));
}

export async function donorsFromDataset(
  dataset: Dataset,
  limit: number = CATALOGUE_SIZE,
): Promise<Donor[]> {
  const { donors } = dataset.files;
  return donors ? readDonors(donors) : donorsFromSessions(dataset, limit);
}

async function readDonors(file: string): Promise<Donor[]> {
  const donors: Donor[] = [];
  for await (const lines of readLines(file)) {
    for (const line of lines) donors.push(parseDonor(line, `${file}:${donors.length + 1}`));
  }
  return donors;
}

function parseDonor(line: string, where: string): Donor {
  try {
    return donorSchema.parse(JSON.parse(line));
  } catch {
    throw new UserError(
      `${where} is not a valid donor record: ${line.slice(0, 80)}`,
      "restore the file, or write the dataset again: pipeline dataset write DIR",
    );
  }
}

/** Builds donors from complete sessions with valid messages. Memory grows with the limit. */
async function donorsFromSessions({ files }: Dataset, limit: number): Promise<Donor[]> {
  const devices = new Map<string, Payload["device"]>();
  // Some of the first sessions are incomplete, so read more than the limit.
  for await (const device of readSound("device", files.device)) {
    if (devices.size >= 2 * limit) break;
    devices.set(device.click_id, device);
  }
  const geos = new Map<string, Payload["geo"]>();
  for await (const geo of readSound("geo", files.geo)) {
    if (devices.has(geo.click_id)) geos.set(geo.click_id, geo);
  }
  const browsers = new Map<string, Payload["browser"]>();
  const firstEvents = new Set<string>();
  for await (const browser of readSound("browser", files.browser)) {
    if (!geos.has(browser.click_id) || firstEvents.has(browser.click_id)) continue;
    firstEvents.add(browser.click_id);
    browsers.set(browser.event_id, browser);
  }
  const donors: Donor[] = [];
  for await (const location of readSound("location", files.location)) {
    const browser = browsers.get(location.event_id);
    const device = devices.get(browser?.click_id ?? "");
    const geo = geos.get(browser?.click_id ?? "");
    if (!browser || !device || !geo) continue;
    browsers.delete(location.event_id);
    const { click_id: base_click_id } = browser;
    donors.push(donorSchema.parse({ base_click_id, browser, source: location, device, geo }));
    if (donors.length >= limit) break;
  }
  return donors;
}

async function* readSound<S extends StreamName>(
  stream: S,
  file: string,
): AsyncGenerator<Payload[S]> {
  for await (const lines of readLines(file)) {
    for (const line of lines) {
      const parsed = payloadSchemas[stream].safeParse(parseJson(line));
      if (parsed.success) yield parsed.data as Payload[S];
    }
  }
}
