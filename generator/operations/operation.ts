import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../contract/broker.ts";
import { UserError } from "../../contract/errors.ts";
import { requireEnd } from "../backfill.ts";
import { type GeneratorConfig, parseConfig } from "../config.ts";
import { loadDonors } from "../dataset/donors.ts";
import { type Dataset, hasFiles, openDataset, SAMPLE_DATASET } from "../dataset/format.ts";
import { shapingSettings, withStoredStart } from "../fingerprint.ts";
import { compareSize, describeSize, estimateSize } from "../history-size.ts";
import type { DonorPool } from "../model/donors.ts";
import { backfillStep } from "./backfill.ts";
import type { Outcome, StepContext, Watcher } from "./context.ts";
import { type Decision, decide, type Operation, type OperationStep } from "./decision.ts";
import { beginEpoch, wipe } from "./epoch.ts";
import { importStep } from "./import.ts";
import { type Instance, type InstanceOptions, readInstance } from "./instance.ts";
import { KnownRecord } from "./known-record.ts";
import { liveStep } from "./live.ts";
import type { ChosenSettings } from "./record.ts";

export interface OperationContext {
  readonly client: Admin;
  readonly connection: BrokerConnection;
  readonly instance: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly watcher: Watcher;
}

export interface OperationRequest {
  readonly operation: Operation;
  /** End of the history, in the format of GEN_MODEL_T_END; overrides that variable. */
  readonly tEnd?: string | undefined;
  /** Name of the instance, to confirm the loss of data. */
  readonly confirm?: string | undefined;
  /** Folder of the dataset to import; default GEN_DATA_DIR, or the sample if that is empty. */
  readonly dataset?: string | undefined;
  /** Seed and speed of a new history; they apply until the next clean start. */
  readonly chosen?: ChosenSettings | undefined;
  /** Largest expected number of page events; overrides GEN_MAX_BACKFILL_EVENTS. */
  readonly maxEvents?: number | undefined;
  /** True to clear the stored state first, as GEN_STATE_RESET does at start. */
  readonly reset?: boolean;
}

export interface PreparedOperation {
  readonly request: OperationRequest;
  readonly decision: Decision;
  readonly instance: Instance;
  readonly config: GeneratorConfig;
  readonly chosen: ChosenSettings;
  readonly donors: DonorPool;
}

/** Decides what an operation would do; changes nothing. @throws UserError for invalid settings or state */
export async function prepareOperation(
  place: OperationContext,
  request: OperationRequest,
): Promise<PreparedOperation> {
  const { operation, tEnd, confirm, reset = false } = request;
  const options = { instance: place.instance, ignoreState: reset };
  const instance = await readInstanceFor(operation, place.client, options);
  const chosen = chosenFor(request, instance);
  const end = tEnd ? { GEN_MODEL_T_END: tEnd } : {};
  const config = parseConfig({ ...place.env, ...chosen, ...end });
  const donors = await loadDonors(config);
  const state = instance.record?.generator;
  const settings = shapingSettings(state ? withStoredStart(config, state) : config, donors.digest);
  const decision = decide(
    {
      operation,
      settings,
      tEnd: config.tEnd,
      tEndIsRelative: config.tEndIsRelative,
      checksum: operation === "import" ? await checksumOf(request, config) : null,
      reset,
      stateEnabled: config.stateEnabled,
      confirmed: confirm === place.instance,
      enabled: config.enabled,
    },
    instance,
  );
  const sized = withSize(decision, request, { instance, config });
  return { request, decision: sized, instance, config, chosen, donors };
}

/** Announces the size of a new history, or refuses it. */
function withSize(
  decision: Decision,
  request: OperationRequest,
  { instance, config }: Pick<PreparedOperation, "instance" | "config">,
): Decision {
  if (decision.action !== "run" || !beginsHistory(decision.steps, instance)) return decision;
  const { t0, tEnd, maxBackfillEvents } = config;
  const span = { from: t0, to: requireEnd(tEnd) };
  const size = estimateSize(config, span.from, span.to);
  const refusal = compareSize(size, { ...span, maxEvents: request.maxEvents ?? maxBackfillEvents });
  if (refusal) return { action: "refuse", ...refusal };
  return { ...decision, reason: `${decision.reason}, ${describeSize(size)}` };
}

/** True unless a backfill is resumed, whose size was allowed when it began. */
const beginsHistory = (steps: readonly OperationStep[], { record }: Instance): boolean =>
  steps.includes("backfill") && (steps[0] !== "backfill" || record?.phase !== "backfill");

const chosenFor = (
  { operation, chosen }: OperationRequest,
  { record }: Instance,
): ChosenSettings => ({
  ...(operation === "clean_start" ? {} : record?.chosen),
  ...chosen,
});

/** Reads the instance. A clean start ignores an unreadable state, which it will remove. */
async function readInstanceFor(
  operation: Operation,
  client: Admin,
  options: InstanceOptions,
): Promise<Instance> {
  try {
    return await readInstance(client, options);
  } catch (error) {
    if (operation !== "clean_start" || !(error instanceof UserError)) throw error;
    return readInstance(client, { ...options, ignoreState: true });
  }
}

const openRequested = async (
  { dataset }: OperationRequest,
  { dataDir }: GeneratorConfig,
): Promise<Dataset> =>
  openDataset(dataset ?? ((await hasFiles(dataDir)) ? dataDir : SAMPLE_DATASET));

async function checksumOf(
  request: OperationRequest,
  config: GeneratorConfig,
): Promise<string | null> {
  const { manifest } = await openRequested(request, config);
  return manifest?.manifest.checksum ?? null;
}

interface Progress {
  readonly signal: AbortSignal;
  readonly onStep?: (step: OperationStep) => void;
}

/** Runs the decided steps. @throws UserError if another process has changed the instance */
export async function runOperation(
  place: OperationContext,
  { request, decision, instance, config, chosen, donors }: PreparedOperation,
  { signal, onStep }: Progress,
): Promise<Outcome> {
  let known = new KnownRecord(instance.epoch, instance.stored);
  const context = (): StepContext => ({ ...place, config, chosen, donors, signal, known });
  const steps: Readonly<Record<OperationStep, () => Promise<Outcome>>> = {
    begin_epoch: async () => {
      known = await beginEpoch(place.client, place.instance, "state reset");
      return "completed";
    },
    wipe: async () => {
      known = await wipe(place.client, place.instance, requireEnd(config.tEnd), chosen);
      return "completed";
    },
    backfill: () => backfillStep(context()),
    import: async () => importStep(context(), await openRequested(request, config)),
    live: () => liveStep(context()),
  };
  for (const step of decision.action === "run" ? decision.steps : []) {
    if (signal.aborted) return "stopped";
    onStep?.(step);
    if ((await steps[step]()) === "stopped") return "stopped";
  }
  return "completed";
}
