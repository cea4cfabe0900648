import type { Manifest } from "../../contract/manifest.ts";
import { isoMicros } from "../../contract/time.ts";
import { fingerprintOf } from "../fingerprint.ts";
import { changedSettings } from "../resume.ts";
import type { Instance } from "./instance.ts";
import type { DecisionRequest } from "./request.ts";

export type Finding =
  | { readonly kind: "empty" }
  /** Content that the user asked to clear, by a new epoch. */
  | { readonly kind: "forgotten" }
  | { readonly kind: "finished"; readonly manifest: Manifest }
  | { readonly kind: "unfinished"; readonly step: "backfill" | "import"; readonly what: string }
  | { readonly kind: "live_only" }
  | { readonly kind: "other"; readonly what: string };

/** Determines what the environment holds; data of other sources takes precedence. */
export function examine(request: DecisionRequest, instance: Instance): Finding {
  const { record, manifest } = instance;
  const foreign = foreignData(instance);
  if (foreign) return { kind: "other", what: foreign };
  if (request.reset && instance.isWritten) return { kind: "forgotten" };
  if (!record && instance.isWritten)
    return { kind: "other", what: "data whose state was not read" };
  if (!record || record.phase === "clean") return { kind: "empty" };
  if (record.phase === "import" && !manifest) return unfinishedImport(request, instance);
  // A backfill without a batch has no settings to compare and no state to lose.
  if (record.phase === "backfill" && record.batches === 0)
    return unfinishedBackfill(request, instance);
  const { generator } = record;
  if (!generator) {
    if (manifest && request.operation === "backfill" && isSame(request, manifest.fingerprint)) {
      return { kind: "finished", manifest };
    }
    if (!request.stateEnabled) return { kind: "forgotten" };
    return {
      kind: "other",
      what: "data made with GEN_STATE_ENABLED=false, which cannot be continued",
    };
  }
  // A checksum identifies an import; the settings identify other content.
  if (request.operation !== "import" && !isSame(request, generator.fingerprint)) {
    const changes = changedSettings(generator.settings, request.settings).join("; ");
    return { kind: "other", what: `data made with other settings (${changes})` };
  }
  if (manifest) return { kind: "finished", manifest };
  return record.phase === "backfill"
    ? unfinishedBackfill(request, instance)
    : { kind: "live_only" };
}

function foreignData({ others, strays, shortened }: Instance): string | null {
  if (others.length > 0) return `data of ${others.join(", ")}`;
  if (strays.length > 0) return `messages of unknown origin in ${strays.join(", ")}`;
  if (shortened.length === 0) return null;
  return `a saved state with more messages than ${shortened.join(", ")} holds (topic re-created by hand?)`;
}

function unfinishedImport(request: DecisionRequest, { record }: Instance): Finding {
  const what = `an unfinished import of the data set with checksum ${record?.checksum}`;
  const isAnother = request.operation === "import" && request.checksum !== record?.checksum;
  return isAnother ? { kind: "other", what } : { kind: "unfinished", step: "import", what };
}

function unfinishedBackfill(request: DecisionRequest, { record }: Instance): Finding {
  const until = isoMicros(record?.t_end_us ?? 0);
  const at = record?.generator?.model_time_us;
  const reached = at === undefined ? "not yet written" : `now at ${isoMicros(at)}`;
  const what = `an unfinished backfill to ${until}, ${reached}`;
  const isOpen = request.tEnd === null || request.tEndIsRelative;
  const isAnother =
    request.operation === "backfill" && !isOpen && request.tEnd !== record?.t_end_us;
  return isAnother ? { kind: "other", what } : { kind: "unfinished", step: "backfill", what };
}

const isSame = (request: DecisionRequest, fingerprint: string): boolean =>
  fingerprint === fingerprintOf(request.settings);
