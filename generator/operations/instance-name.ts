import { UserError } from "../../contract/errors.ts";
import { COLLECTOR_KEY, isLoadKey, REPLAY_KEY } from "../../contract/topics.ts";

const DEFAULT_INSTANCE = "dev";
/** Keys and transactional ids of others; those of loads follow a pattern. */
const RESERVED = ["topics", COLLECTOR_KEY, REPLAY_KEY];

/** Reads GENERATOR_INSTANCE. @throws UserError if it is invalid */
export function readInstanceName(env: Readonly<Record<string, string | undefined>>): string {
  const name = env.GENERATOR_INSTANCE || DEFAULT_INSTANCE;
  const isFree = !RESERVED.includes(name) && !isLoadKey(name);
  if (/^[A-Za-z0-9._-]{1,64}$/.test(name) && isFree) return name;
  throw new UserError(
    `GENERATOR_INSTANCE=${name} is not valid. Allowed: up to 64 letters, digits, dots, dashes and underscores; reserved: ${RESERVED.join(", ")}, load-1, load-2, …`,
    `use the default: GENERATOR_INSTANCE=${DEFAULT_INSTANCE}`,
  );
}
