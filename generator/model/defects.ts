import { DEFECT_KINDS, type DefectKind } from "../../contract/defects.ts";
import { HOUR, MINUTE, type Micros } from "../../contract/time.ts";
import type { Donor } from "./donors.ts";
import { between, pick, type Rng, uniform } from "./random.ts";

/** Share of page events or sessions with each defect; `malformed` applies to both. */
export type DefectRates = Readonly<Record<DefectKind, number>>;

export const EVENT_DEFECTS = [
  "malformed",
  "late",
  "duplicate",
  "missing_location",
  "skewed_clock",
] as const satisfies readonly DefectKind[];
export type EventDefect = (typeof EVENT_DEFECTS)[number];

const SESSION_DEFECTS = [
  "malformed",
  "missing_device",
  "bad_geo",
] as const satisfies readonly DefectKind[];
type SessionDefect = (typeof SESSION_DEFECTS)[number];

export const NO_DEFECTS: DefectRates = {
  malformed: 0,
  late: 0,
  duplicate: 0,
  missing_location: 0,
  missing_device: 0,
  bad_geo: 0,
  skewed_clock: 0,
};

export const TYPICAL_DEFECTS: DefectRates = {
  malformed: 0.002,
  late: 0.005,
  duplicate: 0.004,
  missing_location: 0.005,
  missing_device: 0.005,
  bad_geo: 0.01,
  skewed_clock: 0.002,
};

export const DEFECT_FORMS = `none, typical, or kind=rate,… with kinds ${DEFECT_KINDS.join(", ")}, rates from 0 to 1 with a sum of at most 1`;

export function parseDefectRates(text: string): DefectRates | undefined {
  if (text === "none") return NO_DEFECTS;
  if (text === "typical") return TYPICAL_DEFECTS;
  const rates: Record<DefectKind, number> = { ...NO_DEFECTS };
  for (const part of text.split(",")) {
    const match = /^([a-z_]+)=(\d*\.?\d+(?:e-?\d+)?)$/.exec(part.trim());
    const kind = DEFECT_KINDS.find((known) => known === match?.[1]);
    if (!match || !kind) return undefined;
    rates[kind] = Number(match[2]);
  }
  const shares = [EVENT_DEFECTS, SESSION_DEFECTS].map((kinds) => totalRate(rates, kinds));
  return Math.max(...shares) <= 1 ? rates : undefined;
}

const totalRate = (rates: DefectRates, kinds: readonly DefectKind[]): number =>
  kinds.reduce((sum, kind) => sum + rates[kind], 0);

/** A time at which a share of the page events has a defect. */
export interface Incident {
  readonly from: Micros;
  readonly to: Micros;
  readonly defect: EventDefect;
  readonly share: number;
  /** Only sessions on this type of device. */
  readonly device?: string | undefined;
}

/** Draws defects from separate random numbers, so that rates do not change visitor behaviour. */
export class DefectDice {
  readonly #incidents: readonly Incident[];
  readonly #rng: Rng;
  readonly #eventLimits: readonly Limit<EventDefect>[];
  readonly #sessionLimits: readonly Limit<SessionDefect>[];

  constructor(rng: Rng, rates: DefectRates, incidents: readonly Incident[] = []) {
    this.#rng = rng;
    this.#incidents = incidents;
    this.#eventLimits = limits(EVENT_DEFECTS, rates);
    this.#sessionLimits = limits(SESSION_DEFECTS, rates);
  }

  ofEvent(at: Micros, device: string): EventDefect | null {
    for (const incident of this.#incidents) {
      if (at < incident.from || at >= incident.to) continue;
      if (incident.device !== undefined && incident.device !== device) continue;
      if (uniform(this.#rng) < incident.share) return incident.defect;
    }
    return roll(this.#rng, this.#eventLimits);
  }

  ofSession(): SessionDefect | null {
    return roll(this.#rng, this.#sessionLimits);
  }

  /** Returns the delay of a late page event, 30 minutes to 3 hours. */
  delay(): Micros {
    return between(this.#rng, 30 * MINUTE, 3 * HOUR);
  }

  /** Returns the lead of a skewed clock, 1 to 12 hours. */
  skew(): Micros {
    return between(this.#rng, HOUR, 12 * HOUR);
  }

  either<T>(a: T, b: T): T {
    return uniform(this.#rng) < 0.5 ? a : b;
  }

  /** Truncates a message to 25 to 75 % of the length, which is never valid JSON. */
  truncate(message: string): string {
    const share = 0.25 + uniform(this.#rng) / 2;
    return message.slice(0, Math.floor(message.length * share)).toWellFormed();
  }

  spoilGeo(facts: Donor["geo"]): string {
    return JSON.stringify({ ...facts, ...pick(this.#rng, GEO_FAULTS) }).slice(1, -1);
  }
}

const GEO_FAULTS = [
  { geo_latitude: 999 },
  { geo_longitude: -999 },
  { geo_longitude: "abc" },
  { geo_country: "" },
  { geo_country: null },
] as const;

interface Limit<K> {
  readonly kind: K;
  /** Upper bound of the kind's interval; the lower bound is the limit of the previous kind. */
  readonly limit: number;
}

function limits<K extends EventDefect | SessionDefect>(
  order: readonly K[],
  rates: DefectRates,
): Limit<K>[] {
  let limit = 0;
  return order.map((kind) => {
    limit += rates[kind];
    return { kind, limit };
  });
}

function roll<K>(rng: Rng, order: readonly Limit<K>[]): K | null {
  const share = uniform(rng);
  if (share >= (order.at(-1)?.limit ?? 0)) return null;
  return order.find((entry) => share < entry.limit)?.kind ?? null;
}
