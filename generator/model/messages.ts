import { PAGES } from "../../contract/streams.ts";
import { formatMicros, type Micros } from "../../contract/time.ts";
import { eventTypeOf, type PageIndex } from "./pages.ts";
import { idSuffix } from "./random.ts";
import type { Session } from "./session.ts";

/** Site on the reserved domain example.com. */
const SITE = "https://shop.example.com";

/** Returns pages as JSON members, serialised once because that is faster than per message. */
export const pageMembers = (query = ""): readonly string[] =>
  PAGES.map((page) => `","page_url":"${SITE}${page}${query}","page_url_path":"${page}",`);
export const PAGE_MEMBERS = pageMembers();

/** Returns the type as a JSON member, without its last quote. */
export const typeMember = (type: string): string => `","event_type":"${type}`;
export const PAGE_TYPES: readonly string[] = PAGES.map((page) => typeMember(eventTypeOf(page)));

/** Event id suffixes by event number; 0000 is the session. */
const suffixes: string[] = [];

function suffixOf(sent: number): string {
  for (let index = suffixes.length; index <= sent; index += 1) suffixes.push(idSuffix(index));
  return suffixes[sent] ?? idSuffix(sent);
}

/** The number of an event in its session. */
const numberOf = ({ sent, others }: Session): number => sent + others;

/**
 * @param type the member of `typeMember`
 * @param more further members, each after a comma
 */
export function browserMessage(
  session: Session,
  clock: Micros,
  type: string,
  more: string,
): string {
  const tail = more === "" ? session.tail : `${session.tail.slice(0, -1)}${more}}`;
  return `${session.head}${suffixOf(numberOf(session))}","event_timestamp":"${formatMicros(clock)}${type}${tail}`;
}

export const locationMessage = (session: Session, page: PageIndex): string =>
  `${session.head}${suffixOf(numberOf(session))}${session.course.pageMembers[page]}${session.course.source}}`;

export function deviceMessage(session: Session): string {
  const { customId, domainId } = session.user;
  const domain = domainId === null ? "null" : `"${domainId}"`;
  return `{"click_id":"${session.clickId}",${session.donor.device},"user_custom_id":"${customId}","user_domain_id":${domain}}`;
}

export const geoMessage = (session: Session): string =>
  `{"click_id":"${session.clickId}",${session.donor.geo}}`;
