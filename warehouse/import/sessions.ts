import { UserError } from "../../contract/errors.ts";
import { formatMicros, MINUTE, type Micros } from "../../contract/time.ts";

interface Session {
  readonly id: string;
  first: Micros;
  last: Micros;
  /** Last row of the previous session, if the sessions of the visitor ascend in time. */
  readonly after: Micros;
  /** First row of the next session, if the sessions descend. */
  readonly before: Micros;
}

/**
 * Derives sessions from visitors: a longer pause begins a new one. The rows of a visitor ascend or
 * descend in time. Memory grows with the number of visitors.
 */
export class Sessions {
  readonly #pause: Micros;
  readonly #column: string;
  readonly #latest = new Map<string, Session>();

  /** @param column with the time, for the hint of an error */
  constructor(minutes: number, column: string) {
    this.#pause = minutes * MINUTE;
    this.#column = column;
  }

  /**
   * Returns the id of the visitor's session at this time.
   * @param place file and line of the row
   * @throws UserError if the order of the rows could give other sessions than sorted rows
   */
  of(visitor: string, at: Micros, place: string): string {
    const known = this.#latest.get(visitor);
    if (!known) return this.#start(visitor, at);
    const unsorted = () => this.#unsorted(place, visitor, at, known);
    if (at < known.first - this.#pause) {
      if (known.after > Number.NEGATIVE_INFINITY) throw unsorted();
      return this.#start(visitor, at, { before: known.first });
    }
    if (at > known.last + this.#pause) {
      if (known.before < Number.POSITIVE_INFINITY) throw unsorted();
      return this.#start(visitor, at, { after: known.last });
    }
    if (at <= known.after + this.#pause || at >= known.before - this.#pause) throw unsorted();
    known.first = Math.min(known.first, at);
    known.last = Math.max(known.last, at);
    return known.id;
  }

  #start(visitor: string, at: Micros, limits: { after?: Micros; before?: Micros } = {}): string {
    const { after = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY } = limits;
    const session = { id: `${visitor} ${at}`, first: at, last: at, after, before };
    this.#latest.set(visitor, session);
    return session.id;
  }

  #unsorted(place: string, visitor: string, at: Micros, known: Session): UserError {
    const other = known.before < Number.POSITIVE_INFINITY ? known.first : known.last;
    return new UserError(
      `${place}: visitor ${JSON.stringify(visitor)} at ${formatMicros(at)} UTC follows a row at ${formatMicros(other)} UTC; sessions need rows in order of time`,
      `sort the file by the time in "${this.#column}" (name several files in order of time), or map a column of the session to click_id`,
    );
  }
}
