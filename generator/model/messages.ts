import { PAGES } from "../../contract/streams.ts";
import { formatMicros, type Micros } from "../../contract/time.ts";
import { eventTypeOf } from "./pages.ts";
import { idSuffix } from "./random.ts";
import type { Session } from "./session.ts";

/** Site on the reserved domain example.com. */
const SITE = "https://shop.example.com";

/** Returns pages as JSON members, serialised once because that is faster than per message. */
export const pageMembers = (query = ""): readonly string[] =>
  PAGES.map((page) => `","page_url":"${SITE}${page}${query}","page_url_path":"${page}",`);
export const PAGE_MEMBERS = pageMembers();

const typeMembers: readonly string[] = PAGES.map((page) => `","event_type":"${eventTypeOf(page)}`);

/** Event id suffixes by page event number; 0000 is the session. */
const suffixes: string[] = [];

function suffixOf(sent: number): string {
  for (let index = suffixes.length; index <= sent; index += 1) suffixes.push(idSuffix(index));
  return suffixes[sent] ?? idSuffix(sent);
}

export const browserMessage = (session: Session, clock: Micros): string =>
  `${session.head}${suffixOf(session.sent)}","event_timestamp":"${formatMicros(clock)}${typeMembers[session.page]}${session.tail}`;

export const locationMessage = (session: Session): string =>
  `${session.head}${suffixOf(session.sent)}${session.course.pageMembers[session.page]}${session.course.source}}`;

export function deviceMessage(session: Session): string {
  const { customId, domainId } = session.user;
  const domain = domainId === null ? "null" : `"${domainId}"`;
  return `{"click_id":"${session.clickId}",${session.donor.device},"user_custom_id":"${customId}","user_domain_id":${domain}}`;
}

export const geoMessage = (session: Session): string =>
  `{"click_id":"${session.clickId}",${session.donor.geo}}`;
