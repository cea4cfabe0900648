import type { Manifest } from "../../contract/manifest.ts";
import { isoMicros } from "../../contract/time.ts";
import { fingerprintOf } from "../fingerprint.ts";
import { changedSettings } from "../resume.ts";
import type { Stand } from "./instance.ts";
import type { Wish } from "./request.ts";

/** What the stand is, seen from the wish. */
export type Finding =
  | { readonly kind: "empty" }
  /** To be forgotten by order of the user: empty in a new epoch. */
  | { readonly kind: "forgotten" }
  | { readonly kind: "finished"; readonly manifest: Manifest }
  | { readonly kind: "unfinished"; readonly step: "backfill" | "import"; readonly what: string }
  | { readonly kind: "live_only" }
  | { readonly kind: "other"; readonly what: string };

/** Holds the wish against what is there; data that others wrote come before all else. */
export function examine(wish: Wish, stand: Stand): Finding {
  const { record, manifest } = stand;
  const foreign = foreignData(stand);
  if (foreign) return { kind: "other", what: foreign };
  if (wish.reset && stand.isWritten) return { kind: "forgotten" };
  if (!record && stand.isWritten) return { kind: "other", what: "data whose state was not read" };
  if (!record || record.phase === "clean") return { kind: "empty" };
  if (record.phase === "import" && !manifest) return unfinishedImport(wish, stand);
  // Only begun: no settings to hold against, and nothing that a missing state could spoil.
  if (record.phase === "backfill" && record.batches === 0) return unfinishedBackfill(wish, stand);
  const { generator } = record;
  if (!generator) {
    if (manifest && wish.operation === "backfill" && isSame(wish, manifest.fingerprint)) {
      return { kind: "finished", manifest };
    }
    if (!wish.stateEnabled) return { kind: "forgotten" };
    return {
      kind: "other",
      what: "data made with GEN_STATE_ENABLED=false, which nothing can continue",
    };
  }
  // Whether live can go on is told by the settings; an import says for itself what it is.
  if (wish.operation !== "import" && !isSame(wish, generator.fingerprint)) {
    const changes = changedSettings(generator.settings, wish.settings).join("; ");
    return { kind: "other", what: `data made with other settings (${changes})` };
  }
  if (manifest) return { kind: "finished", manifest };
  return record.phase === "backfill" ? unfinishedBackfill(wish, stand) : { kind: "live_only" };
}

function foreignData({ others, strays, shortened }: Stand): string | null {
  if (others.length > 0) return `data of ${others.join(", ")}`;
  if (strays.length > 0) return `messages of unknown origin in ${strays.join(", ")}`;
  if (shortened.length === 0) return null;
  return `a state that tells of more messages than ${shortened.join(", ")} ever held (topics made anew by hand)`;
}

function unfinishedImport(wish: Wish, { record }: Stand): Finding {
  const what = `an unfinished import of the data set with checksum ${record?.checksum}`;
  const isAnother = wish.operation === "import" && wish.checksum !== record?.checksum;
  return isAnother ? { kind: "other", what } : { kind: "unfinished", step: "import", what };
}

function unfinishedBackfill(wish: Wish, { record }: Stand): Finding {
  const until = isoMicros(record?.t_end_us ?? 0);
  const at = record?.generator?.model_time_us;
  const reached = at === undefined ? "of which nothing is written" : `now at ${isoMicros(at)}`;
  const what = `an unfinished backfill to ${until}, ${reached}`;
  const isOpen = wish.tEnd === null || wish.tEndIsRelative;
  const isAnother = wish.operation === "backfill" && !isOpen && wish.tEnd !== record?.t_end_us;
  return isAnother ? { kind: "other", what } : { kind: "unfinished", step: "backfill", what };
}

const isSame = (wish: Wish, fingerprint: string): boolean =>
  fingerprint === fingerprintOf(wish.settings);
