import { parseConfig } from "../../generator/config.ts";
import { NO_SCENARIO, SHOP_IF_NEW, VARIABLE_NAMES, variables } from "../../generator/variables.ts";

type Variables = Readonly<Partial<Record<string, string>>>;

/** A new generator of a stack backfills a week that ends now, then streams live events. */
const WEEK = {
  GEN_RUN_MODE: "backfill-then-live",
  GEN_MODEL_T0: "now-7d",
  GEN_MODEL_T_END: "now",
  GEN_BEHAVIOUR: SHOP_IF_NEW,
};

/** A scenario has times and a behaviour of its own. */
const SCENARIO = { GEN_RUN_MODE: WEEK.GEN_RUN_MODE };

/**
 * Returns the variables of the model. They are validated by the generator's rules, so that a bad
 * value fails before the start. @throws UserError
 */
export function generatorSettings(given: Variables): Record<string, string> {
  const scenario = given.GEN_SCENARIO ?? NO_SCENARIO;
  const first = scenario === NO_SCENARIO ? WEEK : SCENARIO;
  const settings: Variables = { ...first, ...withoutState(given), ...given };
  parseConfig(settings);
  return Object.fromEntries(
    VARIABLE_NAMES.flatMap((name) => {
      const value = settings[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Live events after a history need its state; without a state the generator starts at T0. */
const withoutState = ({ GEN_STATE_ENABLED: given }: Variables) =>
  variables.GEN_STATE_ENABLED.schema.safeParse(given).data === false
    ? { GEN_RUN_MODE: "live" }
    : {};
