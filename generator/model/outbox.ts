import { type DefectCounts, type DefectKind, noDefects } from "../../contract/defects.ts";
import { emptyBatch, type MessageBatch } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import type { Micros } from "../../contract/time.ts";
import type { EventDefect } from "../defect-rates.ts";
import type { DefectDice } from "./defects.ts";
import { browserMessage, deviceMessage, geoMessage, locationMessage } from "./messages.ts";
import { type Timed, TimeQueue } from "./time-queue.ts";
import type { Visit } from "./visit.ts";

/** Messages of a late page event, still on the visitor's device. */
export interface LateEvent extends Timed {
  readonly clickId: string;
  readonly browser: string;
  readonly location: string;
}

/** Exceeds the page events of a visit, so late events of one microsecond differ. */
const EVENTS_PER_VISIT = 2 ** 16;

/** Writes messages in order of emission and injects defects. */
export class Outbox {
  readonly late: TimeQueue<LateEvent>;
  /** Injected defects, counted when the affected message is emitted or omitted. */
  readonly defects: DefectCounts;
  readonly #dice: DefectDice;
  #batch: MessageBatch = emptyBatch();

  constructor(dice: DefectDice, late: readonly LateEvent[] = [], defects?: DefectCounts) {
    this.#dice = dice;
    this.late = new TimeQueue(late);
    this.defects = defects ?? noDefects();
  }

  /** Returns what was written since the last call. */
  take(): MessageBatch {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    return batch;
  }

  /** Emits the device and geo messages of a new visit. */
  visit(visit: Visit, at: Micros): void {
    const defect = this.#dice.ofVisit();
    const cut = defect === "malformed" ? this.#dice.either("device", "geo") : null;
    if (defect === "missing_device") this.#count(defect, "device");
    else this.#send("device", visit.clickId, deviceMessage(visit), at, cut === "device");
    const geo = defect === "bad_geo" ? this.#badGeo(visit) : geoMessage(visit);
    this.#send("geo", visit.clickId, geo, at, cut === "geo");
  }

  /** Emits the browser and location messages of the visit's latest page event. */
  page(visit: Visit, at: Micros): void {
    const defect = this.#dice.ofEvent();
    if (defect === null) {
      this.#push("browser", visit.clickId, browserMessage(visit, at), at);
      this.#push("location", visit.clickId, locationMessage(visit), at);
    } else this.#defectivePage(defect, visit, at);
  }

  /** Emits the late event that is due first. */
  releaseLate(): void {
    const event = this.late.shift();
    if (event === undefined) return;
    this.#push("browser", event.clickId, event.browser, event.at);
    this.#push("location", event.clickId, event.location, event.at);
    this.#count("late", "browser");
    this.#count("late", "location");
  }

  #defectivePage(defect: EventDefect, visit: Visit, at: Micros): void {
    const clock = defect === "skewed_clock" ? at + this.#dice.skew() : at;
    const browser = browserMessage(visit, clock);
    const location = locationMessage(visit);
    if (defect === "late") {
      const sequence = visit.sequence * EVENTS_PER_VISIT + visit.sent;
      const dueAt = at + this.#dice.delay();
      this.late.push({ at: dueAt, sequence, clickId: visit.clickId, browser, location });
      return;
    }
    const cut = defect === "malformed" ? this.#dice.either("browser", "location") : null;
    this.#send("browser", visit.clickId, browser, at, cut === "browser");
    if (defect === "duplicate") this.#push("browser", visit.clickId, browser, at);
    if (defect === "duplicate" || defect === "skewed_clock") this.#count(defect, "browser");
    if (defect === "missing_location") this.#count(defect, "location");
    else this.#send("location", visit.clickId, location, at, cut === "location");
  }

  #badGeo(visit: Visit): string {
    this.#count("bad_geo", "geo");
    return `{"click_id":"${visit.clickId}",${this.#dice.spoilGeo(visit.donor.facts.geo)}}`;
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
