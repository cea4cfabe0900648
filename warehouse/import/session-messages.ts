import type { Message, Messages } from "./messages.ts";

/** Number of remembered sessions; a later row of a forgotten session repeats its messages. */
const SESSIONS = 100_000;

/** Device message of a session, and its geo message if the mapping has a place field. */
export type OfSession = Pick<Messages, "device" | "geo">;

/** Collects the messages of each session: a field has its first value that is not empty. */
export class SessionMessages {
  readonly #capacity: number;
  readonly #open = new Map<string, OfSession>();

  constructor(capacity = SESSIONS) {
    this.#capacity = capacity;
  }

  /** Adds the messages of a row. Returns those of the oldest session if there are too many. */
  add({ device, geo }: OfSession): OfSession | undefined {
    const id = String(device.click_id);
    const known = this.#open.get(id);
    const merged = { device: filled(known?.device, device) };
    this.#open.set(id, geo ? { ...merged, geo: filled(known?.geo, geo) } : merged);
    return this.#open.size > this.#capacity ? this.#takeOldest() : undefined;
  }

  /** Returns the messages of all remembered sessions, in the order of their first rows. */
  all(): Iterable<OfSession> {
    return this.#open.values();
  }

  #takeOldest(): OfSession | undefined {
    for (const [id, messages] of this.#open) {
      this.#open.delete(id);
      return messages;
    }
    return undefined;
  }
}

const isEmpty = (value: unknown): boolean => value === null || value === "";

/** Returns the earlier message with later values for its empty fields. */
function filled(earlier: Message | undefined, later: Message): Message {
  if (!earlier) return later;
  const names = Object.keys(later).filter(
    (name) => isEmpty(earlier[name]) && !isEmpty(later[name]),
  );
  if (names.length === 0) return earlier;
  return { ...earlier, ...Object.fromEntries(names.map((name) => [name, later[name] ?? null])) };
}
