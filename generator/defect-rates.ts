import { DEFECT_KINDS, type DefectKind } from "../contract/defects.ts";

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

export const SESSION_DEFECTS = [
  "malformed",
  "missing_device",
  "bad_geo",
] as const satisfies readonly DefectKind[];
export type SessionDefect = (typeof SESSION_DEFECTS)[number];

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
    const match = /^([a-z_]+)=(\d*\.?\d+)$/.exec(part.trim());
    const kind = DEFECT_KINDS.find((known) => known === match?.[1]);
    if (!match || !kind) return undefined;
    rates[kind] = Number(match[2]);
  }
  const shares = [EVENT_DEFECTS, SESSION_DEFECTS].map((kinds) => totalRate(rates, kinds));
  return Math.max(...shares) <= 1 ? rates : undefined;
}

const totalRate = (rates: DefectRates, kinds: readonly DefectKind[]): number =>
  kinds.reduce((sum, kind) => sum + rates[kind], 0);
