import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import { parseConfig } from "../config.ts";
import {
  DONORS,
  incompatibility,
  settingChanges,
  shapingSettings,
  withStoredStart,
} from "../fingerprint.ts";
import type { StateV3 } from "../model/state.ts";
import { readInstanceName } from "../service/settings.ts";
import { readStored } from "./instance.ts";
import { parseRecord } from "./record.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Compares the settings of an environment with the stored state; changes nothing.
 * @returns a line for each setting that would apply from now on
 * @throws UserError if the stored data cannot go on with the settings
 */
export async function compareStoredSettings(client: Admin, env: Environment): Promise<string[]> {
  const epoch = await readEpoch(client);
  if (epoch === null) return [];
  const stored = await readStored(client, epoch.epoch, readInstanceName(env));
  const record = stored === null ? null : parseRecord(stored);
  return record?.generator ? changesFrom(record.generator, { ...env, ...record.chosen }) : [];
}

/** Compares with a state, as `compareStoredSettings`. The donors are the state's, unknown here. */
export function changesFrom(state: StateV3, env: Environment): string[] {
  const config = parseConfig(env);
  // Without the state, or on standby, nothing goes on with the settings.
  if (config.stateReset || !config.stateEnabled || !config.enabled) return [];
  const settings = shapingSettings(withStoredStart(config, state), state.settings[DONORS] ?? "");
  const found = incompatibility(state.settings, settings);
  if (found) {
    throw new UserError(
      `The generator's data cannot go on with other settings (${found.differences.join("; ")})`,
      `${found.hint}, or delete the data with make clean`,
    );
  }
  return settingChanges(state.settings, settings).map(
    ({ name, before, after }) => `${name}: ${after} from now on; events so far keep ${before}`,
  );
}
