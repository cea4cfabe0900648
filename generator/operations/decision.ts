import type { Manifest } from "../../contract/manifest.ts";
import type { Settings } from "../../contract/settings.ts";
import { isoMicros, type Micros } from "../../contract/time.ts";
import { findChanges, findIncompatibility, fingerprintOf } from "../fingerprint.ts";
import type { Instance } from "./instance.ts";

export const OPERATIONS = ["live", "backfill", "import", "continue", "clean_start"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Steps of an operation. `begin_epoch` clears the state, `wipe` also all messages. */
export type OperationStep = "begin_epoch" | "wipe" | "backfill" | "import" | "live";

export interface DecisionRequest {
  readonly operation: Operation;
  readonly settings: Settings;
  readonly tEnd: Micros | null;
  /** True for a relative end (now-…), which matches a history with another end. */
  readonly tEndIsRelative: boolean;
  readonly checksum: string | null;
  /** GEN_STATE_RESET: true to clear the instance's state. */
  readonly reset: boolean;
  /** GEN_STATE_ENABLED: if false, every start begins at T0. */
  readonly stateEnabled: boolean;
  readonly confirmed: boolean;
  readonly enabled: boolean;
}

export type Decision =
  | { readonly action: "run"; readonly steps: readonly OperationStep[]; readonly reason: string }
  | { readonly action: "done"; readonly reason: string }
  | {
      readonly action: "refuse";
      readonly reason: string;
      readonly hint: string;
      /** Limit that allows the history, if only its size is refused. */
      readonly maxEvents?: number;
    };

const CLEAN =
  "run pipeline generator clean-start --yes --t-end INSTANT (removes the data and writes a new history up to INSTANT)";

export function decide(request: DecisionRequest, instance: Instance): Decision {
  const finding = examine(request, instance);
  if (finding.kind === "forgotten") {
    const decision = rules[request.operation](request, { kind: "empty" }, instance);
    if (decision.action !== "run") return decision;
    return { ...decision, steps: ["begin_epoch", ...decision.steps] };
  }
  return rules[request.operation](request, finding, instance);
}

type Rule = (
  request: DecisionRequest,
  finding: Exclude<Finding, { kind: "forgotten" }>,
  instance: Instance,
) => Decision;

const run = (steps: readonly OperationStep[], reason: string): Decision => ({
  action: "run",
  steps,
  reason,
});
const done = (reason: string): Decision => ({ action: "done", reason });
const refuse = (reason: string, hint: string): Decision => ({ action: "refuse", reason, hint });
const DISABLED = refuse("The generator is disabled (GEN_ENABLED=false)", "run `make generator-up`");
const notEmpty = ({ what, otherwise }: Content): Decision =>
  refuse(
    `The environment is not empty: it holds ${what}`,
    otherwise ? `${otherwise}; or ${CLEAN}` : CLEAN,
  );

const rules: Readonly<Record<Operation, Rule>> = {
  backfill(request, finding) {
    if (finding.kind === "finished") return finishedBackfill(request, finding);
    if (finding.kind === "unfinished" && finding.step === "backfill")
      return run(["backfill"], `resumes ${finding.what}`);
    if (finding.kind !== "empty") return notEmpty(finding);
    if (request.tEnd === null)
      return refuse(
        "GEN_MODEL_T_END is not set, but a backfill requires an end",
        'set GEN_MODEL_T_END or "t_end" (pipeline generator backfill --t-end INSTANT)',
      );
    return run(["backfill"], `history up to ${isoMicros(request.tEnd)}`);
  },
  import({ checksum }, finding) {
    if (checksum === null)
      return refuse(
        "No dataset with a manifest to import",
        "create one with pipeline dataset write DIR",
      );
    if (finding.kind === "empty") return run(["import"], `dataset with checksum ${checksum}`);
    if (finding.kind === "finished" && finding.manifest.checksum === checksum)
      return done(`The dataset with checksum ${checksum} is imported`);
    if (finding.kind === "unfinished" && finding.step === "import")
      return run(["import"], `resumes ${finding.what}`);
    return notEmpty(finding);
  },
  continue(request, finding, instance) {
    if (!request.enabled) return DISABLED;
    switch (finding.kind) {
      case "finished":
        return run(
          ["live"],
          `continues from ${finding.manifest.t_end}${changesOf(request, instance)}`,
        );
      case "empty":
        return refuse(
          "Nothing to continue: the environment is empty",
          "run backfill or import first",
        );
      case "unfinished":
        return refuse(`There is ${finding.what}`, `run ${finding.step} to resume`);
      case "live_only":
        return refuse(
          "There is no history to continue: live generation began at T0",
          "run live to resume",
        );
      default:
        return notEmpty(finding);
    }
  },
  live(request, finding, instance) {
    if (!request.enabled) return DISABLED;
    switch (finding.kind) {
      case "empty":
        return run(["live"], "starts at T0");
      case "finished":
        return run(
          ["live"],
          `continues from the history up to ${finding.manifest.t_end}${changesOf(request, instance)}`,
        );
      case "live_only":
        return run(["live"], `continues from the stored state${changesOf(request, instance)}`);
      case "unfinished":
        if (finding.step === "backfill" && !request.stateEnabled)
          return refuse(
            `There is ${finding.what}, which cannot be continued with GEN_STATE_ENABLED=false`,
            "set GEN_STATE_ENABLED=true to continue, or GEN_STATE_RESET=true to start over",
          );
        return run(
          [finding.step, "live"],
          `first finishes ${finding.what}${changesOf(request, instance, "then")}`,
        );
      default:
        return notEmpty(finding);
    }
  },
  clean_start(request, finding) {
    if (request.tEnd === null)
      return refuse(
        "GEN_MODEL_T_END is not set, but the backfill of a clean start requires an end",
        'set GEN_MODEL_T_END or "t_end" (pipeline generator clean-start --yes --t-end INSTANT)',
      );
    // Live generation must continue from the state at the end of the history.
    const steps: OperationStep[] =
      request.enabled && request.stateEnabled ? ["backfill", "live"] : ["backfill"];
    const end = request.stateEnabled
      ? ""
      : "; no live generation follows (GEN_STATE_ENABLED=false)";
    const history = `history up to ${isoMicros(request.tEnd)}${end}`;
    if (finding.kind === "empty") return run(steps, history);
    if (request.confirmed) return run(["wipe", ...steps], `removes ${finding.what}; ${history}`);
    return refuse(
      `A clean start removes ${finding.what}`,
      'set "confirm" to the name of the instance (pipeline generator clean-start --yes --t-end INSTANT; in the scheduler: agree_to_loss)',
    );
  },
};

function finishedBackfill(request: DecisionRequest, finding: Finished): Decision {
  const { manifest } = finding;
  const isSame =
    request.tEnd === null || request.tEndIsRelative || isoMicros(request.tEnd) === manifest.t_end;
  if (!isSame) return notEmpty(finding);
  return done(`The history up to ${manifest.t_end} is finished, checksum ${manifest.checksum}`);
}

/** Names the settings that apply to live events. */
function changesOf(
  { settings }: DecisionRequest,
  { record }: Instance,
  when: "from now on" | "then" = "from now on",
): string {
  const changes = record?.generator ? findChanges(record.generator.settings, settings) : [];
  if (changes.length === 0) return "";
  const list = changes.map(({ name, before, after }) => `${name} ${after} (before: ${before})`);
  return `, ${when} with ${list.join(", ")}`;
}

/** What the environment holds, in words. */
interface Content {
  readonly what: string;
  /** How to keep it. */
  readonly otherwise?: string;
}

interface Finished extends Content {
  readonly kind: "finished";
  readonly manifest: Manifest;
}

type Finding =
  | { readonly kind: "empty" }
  /** Content that the user asked to clear, by a new epoch. */
  | { readonly kind: "forgotten" }
  | Finished
  | (Content & { readonly kind: "unfinished"; readonly step: "backfill" | "import" })
  | (Content & { readonly kind: "live_only" | "other" });

const finished = (manifest: Manifest): Finished => ({
  kind: "finished",
  manifest,
  what: `the finished history [${manifest.t0}, ${manifest.t_end}), checksum ${manifest.checksum}`,
});

/** Determines what the environment holds; data of other sources takes precedence. */
function examine(request: DecisionRequest, instance: Instance): Finding {
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
    if (manifest && request.operation === "backfill" && isSame(request, manifest.fingerprint))
      return finished(manifest);
    if (!request.stateEnabled) return { kind: "forgotten" };
    return {
      kind: "other",
      what: "data made with GEN_STATE_ENABLED=false, which cannot be continued",
    };
  }
  // A checksum identifies an import; the settings that never change identify other content.
  const found = findIncompatibility(generator.settings, request.settings);
  if (request.operation !== "import" && found) {
    const what = `data made with other settings (${found.differences.join("; ")})`;
    return { kind: "other", what, otherwise: found.hint };
  }
  if (manifest) return finished(manifest);
  return record.phase === "backfill"
    ? unfinishedBackfill(request, instance)
    : { kind: "live_only", what: "live generation that began at T0" };
}

function foreignData({ others, strays, shortened }: Instance): string | null {
  if (others.length > 0) return `data of ${others.join(", ")}`;
  if (strays.length > 0) return `messages of unknown origin in ${strays.join(", ")}`;
  if (shortened.length === 0) return null;
  return `a saved state with more messages than ${shortened.join(", ")} holds (topic re-created by hand?)`;
}

function unfinishedImport(request: DecisionRequest, { record }: Instance): Finding {
  const what = `an unfinished import of the dataset with checksum ${record?.checksum}`;
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
