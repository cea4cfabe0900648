import { HOUR, isoMicros, MINUTE, type Micros } from "../../../contract/time.ts";
import type { Dimension, Effect, Truth } from "../../../contract/truth.ts";
import { type ModelConfig, tickMicros } from "../../config.ts";
import { meanBudget } from "../../model/budget.ts";
import { dailyCoefficient, segments } from "../../model/coefficient.ts";
import type { DonorPool } from "../../model/donors.ts";
import { dayWeight, type Weekday, weekdayOf } from "./calendar.ts";
import { type Cell, mixtureOf } from "./mixture.ts";
import { type Outcome, outcomesOf, type SessionMeasure } from "./outcomes.ts";
import { SHOP, type ShopParameters } from "./parameters.ts";
import { walkOf } from "./walk.ts";

/** Segments with fewer sessions have no effect of their own. */
const LEAST_SHARE = 0.02;
/** Longer than a session, so that sessions that begin earlier are complete. */
const LONGEST_SESSION = HOUR;

type SessionDimension = Exclude<Dimension, "first_medium" | "weekday">;

const FIRST: Readonly<Record<SessionMeasure, readonly SessionDimension[]>> = {
  purchase: ["all", "device", "medium", "campaign", "country", "variant"],
  bounce: ["all", "device", "medium"],
  cart: ["medium", "campaign"],
  payment: ["device"],
  confirmation: ["country", "variant"],
  home: ["medium", "campaign"],
  product_a: ["country"],
  long_stay: ["device"],
};
const SECOND = { purchase: ["all", "variant"], cart: ["all"], bounce: ["all"] } as const;

const DIFFERENCES = [
  { measure: "purchase", dimension: "variant", segment: "b", minus: "a" },
  { measure: "purchase", dimension: "device", segment: "Computer", minus: "Mobile" },
  {
    measure: "cart",
    dimension: "campaign",
    segment: "product_a_launch",
    minus: "product_b_season",
  },
] as const;

type Evaluated = Cell & { readonly outcomes: Record<SessionMeasure, Outcome> };

/** Expected values in a history until `tEnd`; docs/explanation/shop.md derives them. */
export function shopTruth(
  config: ModelConfig,
  donors: DonorPool,
  tEnd: Micros,
  rejectedSessions: number,
  parameters: ShopParameters = SHOP,
): Truth {
  const until = Math.max(config.t0, tEnd - LONGEST_SESSION);
  const cells = mixtureOf(parameters, donors).map((cell) => ({
    ...cell,
    outcomes: outcomesOf(walkOf(parameters, cell.traits), config.maxSessionEvents),
  }));
  const { first = [], second = [] } = Object.groupBy(cells, ({ traits }) =>
    traits.isReturning ? "second" : "first",
  );
  const shares = sharesOf(first, "first", FIRST);
  return {
    behaviour: "shop",
    parameters,
    sessions_until: isoMicros(until),
    effects: [
      ...shares,
      ...differences(shares),
      ...sharesOf(second, "second", SECOND),
      ...referralChain(first, parameters),
      // The caps reject more sessions on a busy day than on others.
      ...(rejectedSessions === 0 ? weekdays(config, until, parameters) : []),
    ],
  };
}

type Plan = Partial<Readonly<Record<SessionMeasure, readonly SessionDimension[]>>>;

const sharesOf = (cells: readonly Evaluated[], sessions: "first" | "second", plan: Plan) =>
  (Object.keys(plan) as SessionMeasure[]).flatMap((measure) =>
    (plan[measure] ?? []).flatMap((dimension) =>
      segmentsOf(cells, dimension).flatMap(([segment, members]) =>
        effectOf({ sessions, measure, dimension, segment }, expected(members, measure)),
      ),
    ),
  );

/** Returns segments with a name and enough sessions. */
function segmentsOf(cells: readonly Evaluated[], dimension: SessionDimension) {
  const groups = Map.groupBy(cells, ({ traits }) => segmentOf(traits, dimension));
  const isLarge = (members: readonly Cell[]) =>
    sumOf(members.map(({ weight }) => weight)) >= LEAST_SHARE;
  return [...groups].filter(([segment, members]) => segment !== "" && isLarge(members));
}

const segmentOf = (traits: Cell["traits"], dimension: SessionDimension): string =>
  dimension === "all" ? "all" : traits[dimension === "medium" ? "channel" : dimension];

function expected(cells: readonly Evaluated[], measure: SessionMeasure): number {
  let [of, hit] = [0, 0];
  for (const { weight, outcomes } of cells) {
    of += weight * outcomes[measure].of;
    hit += weight * outcomes[measure].hit;
  }
  return hit / of;
}

function differences(shares: readonly Effect[]): Effect[] {
  return DIFFERENCES.flatMap((difference) => {
    const { measure, dimension, segment, minus } = difference;
    const truthOf = (name: string) =>
      shares.find(
        (one) => one.measure === measure && one.dimension === dimension && one.segment === name,
      )?.truth;
    const [of, from] = [truthOf(segment), truthOf(minus)];
    if (of === undefined || from === undefined) return [];
    return [{ sessions: "first", ...difference, truth: of - from }];
  });
}

/** The share of direct sessions is a parameter, by the channel of the first session. */
const referralChain = (
  first: readonly Evaluated[],
  { referralChain: { paidChannels, afterPaid, afterUnpaid } }: ShopParameters,
): Effect[] =>
  segmentsOf(first, "medium").map(([segment]) => ({
    sessions: "second",
    measure: "direct",
    dimension: "first_medium",
    segment,
    truth: (paidChannels.includes(segment) ? afterPaid : afterUnpaid).direct,
  }));

/** Starts are a Poisson process, so the share of a weekday is that of its intensity. */
function weekdays(config: ModelConfig, until: Micros, parameters: ShopParameters): Effect[] {
  const coefficient = dailyCoefficient(config.timezone);
  const weight = dayWeight(parameters);
  const tick = tickMicros(config);
  const starts = new Map<Weekday, number>();
  for (const part of segments((at) => coefficient(at) * weight(at), config.t0, until)) {
    const day = weekdayOf(part.start);
    const wanted = (config.eventsPerMinute * part.coefficient * tick) / MINUTE;
    const events = (meanBudget(wanted, config) * (part.end - part.start)) / tick;
    starts.set(day, (starts.get(day) ?? 0) + events);
  }
  const total = sumOf([...starts.values()]);
  return [...starts].flatMap(([segment, sum]) =>
    effectOf({ sessions: "any", measure: "start", dimension: "weekday", segment }, sum / total),
  );
}

/** An effect whose estimate cannot be wrong proves nothing. */
const effectOf = (effect: Omit<Effect, "truth">, truth: number): Effect[] =>
  truth > 0 && truth < 1 ? [{ ...effect, truth }] : [];

const sumOf = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
