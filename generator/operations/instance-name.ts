import { UserError } from "../../contract/errors.ts";
import { isLoadKey } from "../../contract/topics.ts";

const DEFAULT_INSTANCE = "dev";

/** Reads GENERATOR_INSTANCE. @throws UserError if it is invalid */
export function readInstanceName(env: Readonly<Record<string, string | undefined>>): string {
  const name = env.GENERATOR_INSTANCE || DEFAULT_INSTANCE;
  // `load-1`, `load-2`, … are keys of loads, `topics` is part of a transactional id.
  if (/^[A-Za-z0-9._-]{1,64}$/.test(name) && name !== "topics" && !isLoadKey(name)) return name;
  throw new UserError(
    `GENERATOR_INSTANCE=${name} is not valid. Allowed: up to 64 letters, digits, dots, dashes and underscores; reserved: topics, load-1, load-2, …`,
    `use the default: GENERATOR_INSTANCE=${DEFAULT_INSTANCE}`,
  );
}
