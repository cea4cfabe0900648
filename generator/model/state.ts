import { z } from "zod";
import { defectCountsSchema } from "../../contract/defects.ts";
import { UserError } from "../../contract/errors.ts";
import { earlierSettingsSchema, settingsSchema } from "../../contract/settings.ts";
import { PAGES } from "../../contract/streams.ts";
import { generatorCountersSchema } from "../counters.ts";
import type { DonorPool, PreparedDonor } from "./donors.ts";
import { EXIT } from "./pages.ts";
import { type Loyalty, loyalties, type User } from "./population.ts";
import type { SessionFacts } from "./session.ts";
import type { SimulationState } from "./simulation.ts";

export const STATE_VERSION = 3;

/** Microseconds since the Unix epoch; JSON numbers are exact up to 2^53. */
const micros = z.int();
const count = z.int().nonnegative();
const rng = z.tuple([z.int32(), z.int32(), z.int32(), z.int32()]);
const names = Object.keys(loyalties) as [Loyalty, ...Loyalty[]];

const user = z.strictObject({
  custom_id: z.string(),
  domain_id: z.string().nullable(),
  base_click_id: z.string(),
  loyalty: z.enum(names),
});

const shopping = z.strictObject({
  from: z.enum(PAGES),
  others: count,
  basket: z.tuple([count, count]),
});

const session = z.strictObject({
  id_prefix: z.string(),
  sequence: count,
  base_click_id: z.string(),
  user,
  page: z.enum(PAGES),
  sent: z.int().positive(),
  next_at_us: micros,
  /** Missing if the source is the donor's own. */
  origin: z.string().optional(),
  /** Missing for `plain`, whose visitors only view pages. */
  shopping: shopping.optional(),
});

const lateEvent = z.strictObject({
  emit_at_us: micros,
  sequence: count,
  click_id: z.string(),
  browser: z.string(),
  location: z.string(),
});

const stateSchema = z.strictObject({
  version: z.literal(STATE_VERSION),
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  settings: settingsSchema,
  /** Missing if the settings never changed. */
  earlier: z.array(earlierSettingsSchema).readonly().optional(),
  t0_us: micros,
  model_time_us: micros,
  next_tick_at_us: micros,
  rng: z.strictObject({ walk: rng, defects: rng }),
  births_us: z.array(micros),
  visits: z.array(session),
  eligible: z.array(user),
  resting: z.array(z.strictObject({ user, eligible_at_us: micros })),
  /** Missing for `plain`. */
  arrivals: z.strictObject({ hour: count, before: count, counts: z.array(count) }).optional(),
  late: z.array(lateEvent),
  counters: z.strictObject({
    users: count,
    visits: count,
    events: count,
    unborn: count,
    ticks: count,
    clamped_ticks: count,
  }),
  defects: defectCountsSchema,
  /** The generator counters; `counters` are those of the simulation. */
  sent: generatorCountersSchema,
});
export type StateV3 = z.infer<typeof stateSchema>;

const SENT = { sent: true, defects: true, settings: true, earlier: true } as const;
/** What others read of a state, whatever the rest contains. */
export const sentSchema = z.object(stateSchema.pick(SENT).shape);

const RESET = "set GEN_STATE_RESET=true to clear the state and start at GEN_MODEL_T0";

/** Parses a state. @throws UserError as `parseStateShape`, or for an unknown donor */
export function parseState(text: string, donors: DonorPool): StateV3 {
  const state = parseStateShape(text);
  for (const id of donorIds(state)) findDonor(donors, id);
  return state;
}

/** Parses a state without checking donors. @throws UserError as `parseStored` */
export const parseStateShape = (text: string): StateV3 => parseStored(text, stateSchema);

/** Parses a stored state or record. @throws UserError for invalid JSON, version or shape */
export function parseStored<T>(text: string, schema: z.ZodType<T>): T {
  const raw = parseJson(text);
  const version = (raw as { version?: unknown } | null)?.version;
  if (version !== STATE_VERSION) {
    throw new UserError(
      `Migration error: the stored generator state has version ${JSON.stringify(version) ?? "none"}. Allowed: version ${STATE_VERSION}`,
      RESET,
    );
  }
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UserError(
    `The stored generator state is damaged at ${issue?.path.join(".") || "(top)"}: ${issue?.message}`,
    RESET,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(
      `The stored generator state is not JSON: ${(error as Error).message}`,
      RESET,
    );
  }
}

const donorIds = (state: StateV3): string[] => [
  ...state.visits.flatMap((each) => [each.base_click_id, each.user.base_click_id]),
  ...state.eligible.map((each) => each.base_click_id),
  ...state.resting.map((each) => each.user.base_click_id),
];

function findDonor(donors: DonorPool, id: string): PreparedDonor {
  const donor = donors.find(id);
  if (donor) return donor;
  throw new UserError(
    `The stored generator state refers to donor base_click_id ${id}, which is not among the ${donors.size} donors of this dataset`,
    `set GEN_DATA_DIR to the dataset of the stored state, or ${RESET}`,
  );
}

type StateFrame = Pick<StateV3, "fingerprint" | "settings" | "earlier" | "t0_us" | "sent">;

export const encodeState = (simulation: SimulationState, frame: StateFrame): StateV3 => ({
  version: STATE_VERSION,
  fingerprint: frame.fingerprint,
  settings: frame.settings,
  ...(frame.earlier ? { earlier: frame.earlier } : {}),
  t0_us: frame.t0_us,
  model_time_us: simulation.modelTime,
  next_tick_at_us: simulation.nextTickAt,
  rng: { walk: [...simulation.rng.walk], defects: [...simulation.rng.defects] },
  births_us: [...simulation.starts],
  visits: simulation.sessions.map(encodeSession),
  eligible: simulation.population.eligible.map(encodeUser),
  resting: simulation.population.resting.map((each) => ({
    user: encodeUser(each.user),
    eligible_at_us: each.eligibleAt,
  })),
  ...(simulation.population.arrivals ? { arrivals: simulation.population.arrivals } : {}),
  late: simulation.late.map((event) => ({
    emit_at_us: event.at,
    sequence: event.sequence,
    click_id: event.clickId,
    browser: event.browser,
    location: event.location,
  })),
  counters: {
    users: simulation.population.created,
    visits: simulation.counters.sessions,
    events: simulation.counters.events,
    unborn: simulation.counters.rejectedSessions,
    ticks: simulation.counters.ticks,
    clamped_ticks: simulation.counters.clampedTicks,
  },
  defects: simulation.defects,
  sent: frame.sent,
});

export function decodeState(state: StateV3, donors: DonorPool): SimulationState {
  const { users, visits, unborn, clamped_ticks, ...counters } = state.counters;
  return {
    modelTime: state.model_time_us,
    nextTickAt: state.next_tick_at_us,
    rng: state.rng,
    starts: state.births_us,
    sessions: state.visits.map((each) => decodeSession(each, donors)),
    population: {
      created: users,
      visiting: state.visits.length,
      eligible: state.eligible.map((each) => decodeUser(each, donors)),
      resting: state.resting.map((each) => ({
        user: decodeUser(each.user, donors),
        eligibleAt: each.eligible_at_us,
      })),
      arrivals: state.arrivals,
    },
    late: state.late.map((event) => ({
      at: event.emit_at_us,
      sequence: event.sequence,
      clickId: event.click_id,
      browser: event.browser,
      location: event.location,
    })),
    counters: {
      ...counters,
      sessions: visits,
      rejectedSessions: unborn,
      clampedTicks: clamped_ticks,
    },
    defects: state.defects,
  };
}

const encodeUser = (each: User): z.infer<typeof user> => ({
  custom_id: each.customId,
  domain_id: each.domainId,
  base_click_id: each.home.id,
  loyalty: each.loyalty,
});

const decodeUser = (each: z.infer<typeof user>, donors: DonorPool): User => ({
  customId: each.custom_id,
  domainId: each.domain_id,
  home: findDonor(donors, each.base_click_id),
  loyalty: each.loyalty,
});

const encodeSession = (each: SessionFacts): z.infer<typeof session> => ({
  id_prefix: each.idPrefix,
  sequence: each.sequence,
  base_click_id: each.donor.id,
  user: encodeUser(each.user),
  page: PAGES[each.page] ?? PAGES[0],
  sent: each.sent,
  next_at_us: each.at,
  ...(each.origin === undefined ? {} : { origin: each.origin }),
  ...encodeShopping(each),
});

/** Without shopping a session has no page before, no other event and no basket. */
function encodeShopping({ from, others, basket: [a, b] }: SessionFacts): {
  shopping?: z.infer<typeof shopping>;
} {
  const page = PAGES[from];
  return page === undefined ? {} : { shopping: { from: page, others, basket: [a, b] } };
}

const decodeSession = (each: z.infer<typeof session>, donors: DonorPool): SessionFacts => ({
  at: each.next_at_us,
  sequence: each.sequence,
  idPrefix: each.id_prefix,
  user: decodeUser(each.user, donors),
  donor: findDonor(donors, each.base_click_id),
  page: PAGES.indexOf(each.page),
  sent: each.sent,
  origin: each.origin,
  from: each.shopping === undefined ? EXIT : PAGES.indexOf(each.shopping.from),
  others: each.shopping?.others ?? 0,
  basket: each.shopping?.basket ?? [0, 0],
});
