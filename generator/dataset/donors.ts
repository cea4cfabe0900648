import { UserError } from "../../contract/errors.ts";
import { type Payload, payloadSchemas, type StreamName } from "../../contract/streams.ts";
import { donorPool } from "../behaviour/scenario/donors.ts";
import { CATALOGUE_SIZE } from "../catalogue/donors.ts";
import type { GeneratorConfig } from "../config.ts";
import type { Donor, DonorPool } from "../model/donors.ts";
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
    const { base_click_id: id, browser, source, device, geo } = JSON.parse(line) as Donor;
    const event = { event_id: id, event_timestamp: "2000-01-01 00:00:00.000000" };
    const page = { page_url: "", page_url_path: "" };
    const user = { user_custom_id: "", user_domain_id: null };
    return makeDonor({
      browser: payloadSchemas.browser.parse({
        ...event,
        event_type: "pageview",
        click_id: id,
        ...browser,
      }),
      location: payloadSchemas.location.parse({ event_id: id, ...page, ...source }),
      device: payloadSchemas.device.parse({ click_id: id, ...user, ...device }),
      geo: payloadSchemas.geo.parse({ click_id: id, ...geo }),
    });
  } catch {
    throw new UserError(
      `${where} is not a valid donor record: ${line.slice(0, 80)}`,
      "restore the file, or write the dataset again: pipeline dataset write DIR",
    );
  }
}

function makeDonor({ browser, location, device, geo }: Payload): Donor {
  const { event_id: _e, event_timestamp: _t, event_type: _y, click_id, ...facts } = browser;
  const { site: _s, order_value: _v, currency: _n, properties: _f, ...browserFacts } = facts;
  const { event_id: _l, page_url: _u, page_url_path: _p, ...source } = location;
  const { click_id: _d, user_custom_id: _c, user_domain_id: _r, ...deviceFacts } = device;
  const { click_id: _g, ...geoFacts } = geo;
  return {
    base_click_id: click_id,
    browser: browserFacts,
    source,
    device: deviceFacts,
    geo: geoFacts,
  };
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
    donors.push(makeDonor({ browser, location, device, geo }));
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
      const parsed = payloadSchemas[stream].safeParse(parseOrNull(line));
      if (parsed.success) yield parsed.data;
    }
  }
}

function parseOrNull(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
