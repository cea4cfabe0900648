import type { Micros } from "../../../contract/time.ts";
import type { Incident } from "../../model/defects.ts";
import type { ModelConfig } from "../config.ts";
import type { ScenarioEvent } from "../scenario/scenario.ts";
import { dayWeight, SHOP, type ShopParameters, shopSchema } from "./parameters.ts";

/** A time in which the parameters do not change. */
export interface Phase {
  readonly from: Micros;
  readonly to: Micros;
  readonly parameters: ShopParameters;
  /** Factor of the intensity. */
  readonly demand: number;
  /** Share of the sessions that bots make. */
  readonly botShare: number;
}

type Config = Pick<ModelConfig, "t0" | "scenario">;
type Span = { readonly from: Micros; readonly to: Micros };
const ALWAYS: Span = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Phases of the scenario, from the beginning to the end of time; one without a scenario. */
export function phasesOf(config: Config): readonly Phase[] {
  const events = eventsOf(config).filter(({ kind }) => kind !== "defect");
  const base = baseOf(config);
  return spansBetween(events).map((span) => phaseIn(span, base, events));
}

/** Returns a function that finds the value of the phase at a time; times mostly grow. */
export function atPhase<T>(phases: readonly Phase[], values: readonly T[]): (at: Micros) => T {
  let index = 0;
  return (at) => {
    const phase = phases[index];
    if (phase === undefined || at < phase.from || at >= phase.to) {
      index = phases.findIndex(({ from, to }) => at >= from && at < to);
    }
    return values[index] as T;
  };
}

/** Multiplies the base intensity. */
export function phasedWeight(phases: readonly Phase[]): (at: Micros) => number {
  const weights = phases.map(({ parameters, demand }) => {
    const weight = dayWeight(parameters);
    return demand === 1 ? weight : (at: Micros) => demand * weight(at);
  });
  const [only] = weights;
  if (weights.length === 1 && only !== undefined) return only;
  const weightIn = atPhase(phases, weights);
  return (at) => weightIn(at)(at);
}

/** Times at which more page events than usual have a defect. */
export const incidentsOf = (config: Config): readonly Incident[] =>
  eventsOf(config).flatMap((event) => (event.kind === "defect" ? [event] : []));

type Placed = ScenarioEvent & Span;

/** Events, moved by the distance of T0 from the scenario's start. */
function eventsOf({ t0, scenario }: Config): readonly Placed[] {
  if (scenario === null) return [];
  const { start, events } = scenario;
  return events.map((event) => ({
    ...event,
    from: event.from - start + t0,
    to: event.to === undefined ? Number.POSITIVE_INFINITY : event.to - start + t0,
  }));
}

function spansBetween(events: readonly Span[]): Span[] {
  const limits = [ALWAYS, ...events].flatMap(({ from, to }) => [from, to]);
  const ordered = [...new Set(limits)].sort((a, b) => (a < b ? -1 : 1));
  return ordered.slice(1).map((to, index) => ({ from: ordered[index] ?? to, to }));
}

function phaseIn(span: Span, base: ShopParameters, events: readonly Placed[]): Phase {
  const active = events.filter(({ from, to }) => from <= span.from && span.to <= to);
  let phase: Phase = { ...span, parameters: base, demand: 1, botShare: 0 };
  for (const event of active) {
    if (event.kind === "defect") continue;
    phase = { ...phase, demand: phase.demand * event.demand };
    if (event.kind === "bots") phase = { ...phase, botShare: event.share };
    else phase = { ...phase, parameters: changed(phase.parameters, event.parameters) };
  }
  return phase;
}

/** Parameters without events. Every phase or none depends on the browser. */
function baseOf({ scenario }: Config): ShopParameters {
  if (scenario === null) return SHOP;
  const base = changed(SHOP, scenario.parameters);
  const dependsOnBrowser = scenario.events.some(
    (event) => event.kind === "visitors" && event.parameters.steps?.confirmation?.browser,
  );
  return dependsOnBrowser ? changed(base, { steps: { confirmation: { browser: {} } } }) : base;
}

const changed = (parameters: ShopParameters, by: object): ShopParameters =>
  shopSchema.parse(merged(parameters, by));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Shares of pages belong together, because they sum to 1. */
const isWhole = (value: Record<string, unknown>): boolean =>
  Object.keys(value).some((key) => key.startsWith("/"));

function merged(value: unknown, by: unknown): unknown {
  if (!isObject(value) || !isObject(by) || isWhole(by)) return by;
  const result: Record<string, unknown> = { ...value };
  for (const [key, change] of Object.entries(by)) {
    if (change !== undefined) result[key] = merged(value[key], change);
  }
  return result;
}
