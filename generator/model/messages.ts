import { PAGES } from "../../contract/streams.ts";
import { formatMicros, type Micros } from "../../contract/time.ts";
import { idSuffix } from "./ids.ts";
import { eventTypeOf } from "./pages.ts";
import type { Visit } from "./visit.ts";

/** The shop uses the reserved domain example.com. */
const SITE = "https://shop.example.com";

/**
 * Messages are joined from JSON fragments escaped once, which is faster than serialising each.
 * Fields are in the order of the contract.
 */
const pageMembers: readonly string[] = PAGES.map(
  (page) => `","page_url":"${SITE}${page}","page_url_path":"${page}",`,
);
const typeMembers: readonly string[] = PAGES.map((page) => `","event_type":"${eventTypeOf(page)}`);

/** Event id suffixes by number of the page event; 0000 is the click itself. */
const suffixes: string[] = [];

function suffixOf(sent: number): string {
  for (let index = suffixes.length; index <= sent; index += 1) suffixes.push(idSuffix(index));
  return suffixes[sent] ?? idSuffix(sent);
}

/** Returns the message of the visit's latest page event; `clock` is the visitor's clock. */
export const browserMessage = (visit: Visit, clock: Micros): string =>
  `${visit.head}${suffixOf(visit.sent)}","event_timestamp":"${formatMicros(clock)}${typeMembers[visit.page]}${visit.tail}`;

export const locationMessage = (visit: Visit): string =>
  `${visit.head}${suffixOf(visit.sent)}${pageMembers[visit.page]}${visit.donor.source}}`;

export function deviceMessage(visit: Visit): string {
  const { customId, domainId } = visit.user;
  const domain = domainId === null ? "null" : `"${domainId}"`;
  return `{"click_id":"${visit.clickId}",${visit.donor.device},"user_custom_id":"${customId}","user_domain_id":${domain}}`;
}

export const geoMessage = (visit: Visit): string =>
  `{"click_id":"${visit.clickId}",${visit.donor.geo}}`;
