import type { Manifest } from "../../contract/manifest.ts";
import { type ModelConfig, parseConfig } from "../../generator/config.ts";
import { loadDonors } from "../../generator/dataset/donors.ts";
import { fingerprint } from "../../generator/fingerprint.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface HistoryModel {
  readonly config: ModelConfig;
  /** Whether the manifest's fingerprint confirms that the history was made with these settings. */
  readonly isConfirmed: boolean;
}

/**
 * The model a history is held against. A manifest keeps no settings but their fingerprint: seed and
 * T0 come from the manifest, the rest from the GEN_* variables, and the fingerprint tells whether
 * these are the ones that the history was made with.
 * @throws UserError when a GEN_* variable is wrong
 */
export async function modelOf(
  manifest: Manifest | undefined,
  env: Environment,
): Promise<HistoryModel> {
  const { GEN_MODEL_T_END: _, ...settings } = env;
  const known = manifest ? { GEN_SEED: manifest.seed, GEN_MODEL_T0: manifest.t0 } : {};
  const config = parseConfig({ ...settings, ...known, GEN_RUN_MODE: "live" });
  if (!manifest) return { config, isConfirmed: false };
  const donors = await loadDonors(config);
  return { config, isConfirmed: fingerprint(config, donors.digest) === manifest.fingerprint };
}
