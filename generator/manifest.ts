import type { DefectCounts } from "../contract/defects.ts";
import { MANIFEST_VERSION, type Manifest, manifestSchema } from "../contract/manifest.ts";
import { isoMicros, type Micros } from "../contract/time.ts";
import type { Truth } from "../contract/truth.ts";
import { canonicalJson, sha256 } from "./canonical.ts";
import type { LedgerState } from "./ledger.ts";

export interface ManifestParts {
  readonly seed: string;
  readonly t0: Micros;
  readonly tEnd: Micros;
  readonly fingerprint: string;
  readonly ledger: LedgerState;
  readonly users: number;
  readonly sessions: number;
  readonly rejectedSessions: number;
  readonly defects: DefectCounts;
  readonly truth: Truth | undefined;
}

export function buildManifest(parts: ManifestParts): Manifest {
  const content = {
    version: MANIFEST_VERSION,
    seed: parts.seed,
    t0: isoMicros(parts.t0),
    t_end: isoMicros(parts.tEnd),
    fingerprint: parts.fingerprint,
    counts: parts.ledger.counts,
    days: parts.ledger.days,
    users: parts.users,
    visits: parts.sessions,
    unborn: parts.rejectedSessions,
    defects: parts.defects,
    digests: parts.ledger.digests,
    ...(parts.ledger.sums ? { sums: parts.ledger.sums } : {}),
    ...(parts.truth ? { truth: parts.truth } : {}),
  };
  return manifestSchema.parse({ ...content, checksum: checksumOf(content) });
}

export const checksumOf = (content: Omit<Manifest, "checksum"> | object): string => {
  const { checksum: _, ...rest } = content as Partial<Manifest>;
  return sha256(canonicalJson(rest));
};
