import type { Manifest } from "../../contract/manifest.ts";
import { type ModelConfig, parseConfig } from "../../generator/config.ts";
import { loadDonors } from "../../generator/dataset/donors.ts";
import { fingerprint } from "../../generator/fingerprint.ts";
import { NO_SCENARIO } from "../../generator/variables.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface HistoryModel {
  readonly config: ModelConfig;
  readonly isConfirmed: boolean;
}

/** Combines seed, T0, behaviour and scenario of the manifest with GEN_*. @throws UserError for an invalid setting */
export async function modelOf(
  manifest: Manifest | undefined,
  env: Environment,
): Promise<HistoryModel> {
  const { GEN_MODEL_T_END: _, ...settings } = env;
  const config = parseConfig({ ...settings, ...knownFrom(manifest), GEN_RUN_MODE: "live" });
  if (!manifest) return { config, isConfirmed: false };
  const donors = await loadDonors(config);
  return { config, isConfirmed: fingerprint(config, donors.digest) === manifest.fingerprint };
}

const scenarioIn = ({ truth }: Manifest): string => String(truth?.scenario?.name ?? NO_SCENARIO);

const knownFrom = (manifest: Manifest | undefined): Environment =>
  manifest === undefined
    ? {}
    : {
        GEN_SEED: manifest.seed,
        GEN_MODEL_T0: manifest.t0,
        GEN_BEHAVIOUR: manifest.truth?.behaviour ?? "plain",
        GEN_SCENARIO: scenarioIn(manifest),
      };
