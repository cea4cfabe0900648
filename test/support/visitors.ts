import { browserMessage, deviceMessage, type Message, uuid } from "./messages.ts";

/** A page event at an hour of 2026-01-01. */
export function page(number: number, hour: number, click = number): Message {
  const event_timestamp = `2026-01-01 ${String(hour).padStart(2, "0")}:00:00.000000`;
  const ids = { event_id: uuid(number), click_id: uuid(100 + click), event_timestamp };
  return browserMessage(ids, Date.UTC(2026, 0, 1, hour) * 1000);
}

export const of = (click: number, visitor: string): Message =>
  deviceMessage({ click_id: uuid(100 + click), user_custom_id: visitor });

export const session = (number: number, hour: number, visitor: string): Message[] => [
  page(number, hour),
  of(number, visitor),
];

/** Two sessions of one visitor, and one of another at the same time. */
export const OLD = [...session(1, 10, "old"), ...session(2, 12, "old"), ...session(3, 12, "other")];

/** The same of visitors of their own. @param from added to the numbers */
export const oldOf = (from: number): Message[] => [
  ...session(from + 1, 10, `old ${from}`),
  ...session(from + 2, 12, `old ${from}`),
  ...session(from + 3, 12, `other ${from}`),
];
