import { type DefectCounts, type DefectKind, noDefects } from "../../contract/defects.ts";
import { emptyBatch, type MessageBatch } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import { type Micros, SECOND } from "../../contract/time.ts";
import type { EventFacts } from "./behaviour.ts";
import type { DefectDice, EventDefect } from "./defects.ts";
import {
  browserMessage,
  deviceMessage,
  geoMessage,
  locationMessage,
  PAGE_TYPES,
  typeMember,
} from "./messages.ts";
import type { PageIndex } from "./pages.ts";
import type { Session } from "./session.ts";
import { type Timed, TimeQueue } from "./time-queue.ts";

/** Messages of a late page event that are not sent yet. */
export interface LateEvent extends Timed {
  readonly clickId: string;
  readonly browser: string;
  readonly location: string;
}

/** Pages are at least a second apart, so an event before a page is after the page before. */
const BEFORE: Micros = SECOND / 2;

/** Sequence numbers per session, more than events, so that equal times have an order. */
const EVENTS_PER_SESSION = 2 ** 16;

export class BatchBuilder {
  readonly late: TimeQueue<LateEvent>;
  /** Numbers of defects, counted when the affected message is emitted or omitted. */
  readonly defects: DefectCounts;
  readonly #dice: DefectDice;
  #batch: MessageBatch = emptyBatch();

  constructor(dice: DefectDice, late: readonly LateEvent[] = [], defects?: DefectCounts) {
    this.#dice = dice;
    this.late = new TimeQueue(late);
    this.defects = defects ?? noDefects();
  }

  take(): MessageBatch {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    return batch;
  }

  session(session: Session, at: Micros): void {
    const defect = this.#dice.ofSession();
    const cut = defect === "malformed" ? this.#dice.either("device", "geo") : null;
    if (defect === "missing_device") this.#count(defect, "device");
    else this.#send("device", session.clickId, deviceMessage(session), at, cut === "device");
    const geo = defect === "bad_geo" ? this.#badGeo(session) : geoMessage(session);
    this.#send("geo", session.clickId, geo, at, cut === "geo");
  }

  /** @param more further members of the browser message */
  page(session: Session, at: Micros, more: string): void {
    this.#event(session, at, session.page, at, PAGE_TYPES[session.page] ?? "", more);
  }

  /** An event on the page before, shortly before the present one. */
  other(session: Session, at: Micros, { type, more }: EventFacts): void {
    this.#event(session, at, session.from, at - BEFORE, typeMember(type), more);
  }

  #event(
    session: Session,
    at: Micros,
    page: PageIndex,
    happenedAt: Micros,
    type: string,
    more: string,
  ): void {
    const defect = this.#dice.ofEvent(at, session.donor.facts.device.device_type);
    if (defect === null) {
      this.#push("browser", session.clickId, browserMessage(session, happenedAt, type, more), at);
      this.#push("location", session.clickId, locationMessage(session, page), at);
      return;
    }
    const clock = defect === "skewed_clock" ? happenedAt + this.#dice.skew() : happenedAt;
    const browser = browserMessage(session, clock, type, more);
    this.#defective(defect, session, at, browser, locationMessage(session, page));
  }

  releaseLate(): void {
    const event = this.late.shift();
    if (event === undefined) return;
    this.#push("browser", event.clickId, event.browser, event.at);
    this.#push("location", event.clickId, event.location, event.at);
    this.#count("late", "browser");
    this.#count("late", "location");
  }

  #defective(
    defect: EventDefect,
    session: Session,
    at: Micros,
    browser: string,
    location: string,
  ): void {
    if (defect === "late") {
      const sequence = session.sequence * EVENTS_PER_SESSION + session.sent + session.others;
      const dueAt = at + this.#dice.delay();
      this.late.push({ at: dueAt, sequence, clickId: session.clickId, browser, location });
      return;
    }
    const cut = defect === "malformed" ? this.#dice.either("browser", "location") : null;
    this.#send("browser", session.clickId, browser, at, cut === "browser");
    if (defect === "duplicate") this.#push("browser", session.clickId, browser, at);
    if (defect === "duplicate" || defect === "skewed_clock") this.#count(defect, "browser");
    if (defect === "missing_location") this.#count(defect, "location");
    else this.#send("location", session.clickId, location, at, cut === "location");
  }

  #badGeo(session: Session): string {
    this.#count("bad_geo", "geo");
    return `{"click_id":"${session.clickId}",${this.#dice.spoilGeo(session.donor.facts.geo)}}`;
  }

  #send(stream: StreamName, key: string, value: string, at: Micros, isCut: boolean): void {
    if (isCut) this.#count("malformed", stream);
    this.#push(stream, key, isCut ? this.#dice.truncate(value) : value, at);
  }

  #push(stream: StreamName, key: string, value: string, at: Micros): void {
    const { keys, values, emittedAt } = this.#batch[stream];
    keys.push(key);
    values.push(value);
    emittedAt.push(at);
  }

  #count(kind: DefectKind, stream: StreamName): void {
    this.defects[kind][stream] += 1;
  }
}
