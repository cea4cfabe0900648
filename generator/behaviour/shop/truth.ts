import { PAGES } from "../../../contract/streams.ts";
import { HOUR, isoMicros, type Micros } from "../../../contract/time.ts";
import {
  type Dimension,
  type Effect,
  jsonObject,
  MONEY,
  type Truth,
  type Window,
} from "../../../contract/truth.ts";
import type { DonorPool } from "../../model/donors.ts";
import type { ModelConfig } from "../config.ts";
import { publishedScenario } from "../scenario/settings.ts";
import { BOT_WALK } from "./bots.ts";
import { expectedHours, returnShare } from "./expected.ts";
import { type Cell, mixtureOf } from "./mixture.ts";
import { type Outcome, outcomesOf, type SessionMeasure, stayOf } from "./outcomes.ts";
import { type ShopParameters, type Weekday, weekdayOf } from "./parameters.ts";
import { incidentsOf, type Phase, phasesOf } from "./phases.ts";
import { traitsOf } from "./session-traits.ts";
import { returnsOf } from "./shop.ts";
import { basketValue } from "./shopping.ts";
import { purchasesOf, type Walk, walkOf } from "./walk.ts";

/** Segments with fewer sessions have no effect of their own. */
const LEAST_SHARE = 0.02;
/** Longer than a session, so that sessions that begin earlier are complete. */
const LONGEST_SESSION = HOUR;

type SessionDimension = Exclude<Dimension, "page" | "first_medium" | "account" | "weekday">;

const FIRST: Readonly<Record<SessionMeasure, readonly SessionDimension[]>> = {
  purchase: ["all", "device", "medium", "campaign", "country", "variant"],
  bounce: ["all", "device", "medium"],
  cart: ["medium", "campaign"],
  payment: ["device"],
  confirmation: ["country", "variant", "browser"],
  home: ["medium", "campaign"],
  product_a: ["country"],
  long_stay: ["device"],
};
const SECOND = { purchase: ["all", "variant"], cart: ["all"], bounce: ["all"] } as const;

const DIFFERENCES = [
  { measure: "revenue", dimension: "variant", segment: "b", minus: "a" },
  { measure: "purchase", dimension: "variant", segment: "b", minus: "a" },
  { measure: "purchase", dimension: "device", segment: "Computer", minus: "Mobile" },
  {
    measure: "cart",
    dimension: "campaign",
    segment: "product_a_launch",
    minus: "product_b_season",
  },
] as const;

type Evaluated = Cell & {
  readonly isBot: boolean;
  readonly walk: Walk;
  readonly outcomes: Record<SessionMeasure, Outcome>;
};

/**
 * Expected values in a history until `tEnd`, without simulation: a segment's share is Σ weight × P(hit) / Σ weight × P(counted)
 * over its kinds of sessions, each a Markov chain of pages. docs/explanation/shop.md says what is counted.
 */
export function shopTruth(
  config: ModelConfig,
  donors: DonorPool,
  tEnd: Micros,
  rejectedSessions: number,
): Truth {
  const until = Math.max(config.t0, tEnd - LONGEST_SESSION);
  const phases = phasesOf(config);
  const [{ parameters }] = phases as [Phase];
  const isWhole = phases.length === 1 && hiddenIn(config).length === 0;
  const effects = phases.flatMap((phase) => {
    const all = effectsIn(phase, config, donors);
    return isWhole ? all : inWindows(all, windowsOf(phase, config, until));
  });
  // The caps reject more sessions on a busy day than on others.
  const hasStarts = isWhole && rejectedSessions === 0;
  const hours = hasStarts ? expectedHours(config, donors, parameters, until) : [];
  return {
    behaviour: "shop",
    parameters: jsonObject.parse(parameters),
    ...(config.scenario === null ? {} : { scenario: publishedScenario(config.scenario) }),
    sessions_until: isoMicros(until),
    effects: [...effects, ...returning(hours, config, donors, parameters), ...weekdays(hours)],
  };
}

function effectsIn(phase: Phase, config: ModelConfig, donors: DonorPool): Effect[] {
  const { parameters, botShare } = phase;
  // Many kinds of sessions walk alike.
  const walks = new Map<string, Pick<Evaluated, "walk" | "outcomes">>();
  const cells = mixtureOf(parameters, donors).map((cell) => {
    const walk = walkOf(parameters, cell.traits);
    const key = JSON.stringify(walk);
    const known = walks.get(key) ?? { walk, outcomes: outcomesOf(walk, config.maxSessionEvents) };
    walks.set(key, known);
    return { ...cell, isBot: false, ...known };
  });
  const { first = [], second = [] } = Object.groupBy(cells, ({ traits }) =>
    traits.isReturning ? "second" : "first",
  );
  const shares = sharesOf([...first, ...botCells(phase, config, donors)], "first", FIRST);
  return [
    ...shares,
    ...differences(shares),
    ...(botShare === 0 ? stays(first, config) : []),
    ...(botShare === 0 ? money(first, config, parameters) : []),
    ...sharesOf(second, "second", SECOND),
    ...referralChain(first, parameters),
  ];
}

/** Sessions of bots, which are all first ones. */
function botCells({ parameters, botShare }: Phase, config: ModelConfig, donors: DonorPool) {
  if (botShare === 0) return [];
  const outcomes = outcomesOf(BOT_WALK, config.maxSessionEvents);
  // At least, because returning visitors make the share of first sessions larger.
  const weight = botShare / (1 - botShare) / donors.bots.length;
  return donors.bots.map((donor) => ({
    traits: { ...traitsOf(parameters, donor, undefined, "a"), variant: "" as const },
    isAfterPaid: false,
    isBot: true,
    walk: BOT_WALK,
    weight,
    outcomes,
  }));
}

/** Times in which the pages of many events are unknown. */
const hiddenIn = (config: ModelConfig) =>
  incidentsOf(config).filter(({ defect }) => defect === "missing_location");

/** Parts of a phase in which the pages of most sessions are known, and whose sessions end in them. */
function windowsOf(phase: Phase, config: ModelConfig, until: Micros): Window[] {
  const [from, to] = [Math.max(phase.from, config.t0), Math.min(phase.to, until + LONGEST_SESSION)];
  const hidden = hiddenIn(config);
  const limits = hidden.flatMap((one) => [one.from, one.to]).filter((at) => from < at && at < to);
  const ordered = [from, ...limits.toSorted((a, b) => a - b), to];
  return ordered.slice(1).flatMap((end, index) => {
    const start = ordered[index] ?? end;
    const isHidden = hidden.some((one) => one.from <= start && start < one.to);
    const last = end - LONGEST_SESSION;
    return isHidden || last <= start ? [] : [{ from: isoMicros(start), until: isoMicros(last) }];
  });
}

const inWindows = (effects: readonly Effect[], windows: readonly Window[]): Effect[] =>
  windows.flatMap((window) => effects.map((effect) => ({ ...effect, window })));

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
function segmentsOf<C extends Evaluated>(cells: readonly C[], dimension: SessionDimension) {
  const groups = Map.groupBy(cells, ({ traits }) => segmentOf(traits, dimension));
  const isLarge = (members: readonly Cell[]) =>
    sumOf(members.map(({ weight }) => weight)) >= LEAST_SHARE;
  // Which share of first sessions bots have depends on how many visitors wait to return.
  const isMixed = (members: readonly Evaluated[]) =>
    members.some(({ isBot }) => isBot) && members.some(({ isBot }) => !isBot);
  return [...groups].filter(
    ([segment, members]) => segment !== "" && isLarge(members) && !isMixed(members),
  );
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

/** Revenue of a first session, and value of a purchase. */
function money(
  first: readonly Evaluated[],
  { maxSessionEvents }: ModelConfig,
  parameters: ShopParameters,
): Effect[] {
  const cells = first.map((cell) => {
    const basket = basketValue(parameters, cell.traits.variant);
    return { ...cell, ...purchasesOf(cell.walk, basket, maxSessionEvents) };
  });
  const effects = MONEY.flatMap((measure) =>
    (["all", "variant"] as const).flatMap((dimension) =>
      segmentsOf(cells, dimension).map(([segment, members]): Effect => {
        const revenue = sumOf(members.map((cell) => cell.weight * cell.revenue));
        const per = sumOf(
          members.map(({ weight, purchases }) => weight * (measure === "revenue" ? 1 : purchases)),
        );
        return { sessions: "first", measure, dimension, segment, truth: revenue / per };
      }),
    ),
  );
  return [...effects.filter(({ truth }) => truth > 0), ...differences(effects)];
}

/** Long ones among the first stays on a page that another page follows. */
const stays = (first: readonly Evaluated[], { maxSessionEvents }: ModelConfig): Effect[] =>
  PAGES.flatMap((page) => {
    let [of, hit] = [0, 0];
    for (const { weight, walk } of first) {
      const outcome = stayOf(walk, page, maxSessionEvents);
      of += weight * outcome.of;
      hit += weight * outcome.hit;
    }
    if (of < LEAST_SHARE) return [];
    return effectOf(
      { sessions: "first", measure: "stay", dimension: "page", segment: page },
      hit / of,
    );
  });

/** Visitors with another session soon after the first; none in a history that is too short. */
function returning(
  hours: ReturnType<typeof expectedHours>,
  config: ModelConfig,
  donors: DonorPool,
  parameters: ShopParameters,
): Effect[] {
  const returns = returnsOf(config, donors, parameters);
  const { registered } = parameters.visitors;
  const [known, unknown] = [true, false].map((isRegistered) =>
    returnShare(hours, returns, parameters, isRegistered),
  ) as [number, number];
  const effect = { sessions: "first", measure: "return" } as const;
  return [
    ...effectOf(
      { ...effect, dimension: "all", segment: "all" },
      registered * known + (1 - registered) * unknown,
    ),
    ...effectOf({ ...effect, dimension: "account", segment: "registered" }, known),
    ...effectOf({ ...effect, dimension: "account", segment: "anonymous" }, unknown),
  ];
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
function weekdays(hours: ReturnType<typeof expectedHours>): Effect[] {
  const starts = new Map<Weekday, number>();
  for (const { start, sessions } of hours) {
    const day = weekdayOf(start);
    starts.set(day, (starts.get(day) ?? 0) + sessions);
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
