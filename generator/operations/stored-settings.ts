import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import { readIntactEpoch } from "../../kafka/epoch.ts";
import { parseConfig } from "../config.ts";
import {
  DONORS,
  findChanges,
  findIncompatibility,
  shapingSettings,
  withStoredStart,
} from "../fingerprint.ts";
import { readStored } from "./instance.ts";
import { readInstanceName } from "./instance-name.ts";
import { type InstanceRecord, parseRecord } from "./record.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Compares the settings of an environment with the stored state; changes nothing.
 * @returns a line for each setting that would apply from now on
 * @throws UserError if the stored data cannot go on with the settings
 */
export async function compareStoredSettings(client: Admin, env: Environment): Promise<string[]> {
  const { stateReset, enabled } = parseConfig(env);
  // On standby, and with a cleared state, nothing goes on with the settings.
  if (stateReset || !enabled) return [];
  const epoch = await readIntactEpoch(client);
  const stored = epoch && (await readStored(client, epoch.epoch, readInstanceName(env)));
  const record = stored ? readableRecord(stored) : null;
  return record ? changesFrom(record, env) : [];
}

/** Returns null for a damaged record, which the generator reports itself. */
function readableRecord(text: string): InstanceRecord | null {
  try {
    return parseRecord(text);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** Compares with a record, as `compareStoredSettings`. The donors are the state's, unknown here. */
export function changesFrom(
  { generator: state, chosen, phase, t_end_us: end }: InstanceRecord,
  env: Environment,
): string[] {
  if (state === null) return [];
  const config = withStoredStart(parseConfig({ ...env, ...chosen }), state);
  const settings = shapingSettings(config, state.settings[DONORS] ?? "");
  const found = findIncompatibility(state.settings, settings);
  if (found) {
    throw new UserError(
      `The generator's data cannot continue with other settings (${found.differences.join("; ")})`,
      found.hint,
    );
  }
  const isUnfinished = phase === "backfill" && state.model_time_us < (end ?? 0);
  return findChanges(state.settings, settings).map(({ name, before, after }) =>
    isUnfinished
      ? `${name}: ${after} after the end of the history, which keeps ${before}`
      : `${name}: ${after} from now on; events so far keep ${before}`,
  );
}
