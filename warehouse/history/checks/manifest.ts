import type { Manifest } from "../../../contract/manifest.ts";
import type { Database } from "../../../contract/ports.ts";
import { checksumOf } from "../../../generator/canonical.ts";
import { hintToRun } from "../../database/command.ts";
import { isGenerator, type Source } from "../../sources/source.ts";
import { type CheckResult, skipped, verdict } from "./result.ts";

export interface ManifestFinding {
  readonly result: CheckResult;
  readonly manifest: Manifest | undefined;
}

/** Checks the only manifest of an epoch. */
export function checkManifest(db: Database, sources: readonly Source[]): ManifestFinding {
  const [manifest, ...more] = sources.flatMap((source) => source.manifest ?? []);
  if (manifest === undefined) {
    return isGenerated(sources)
      ? failed("no manifest is stored for this epoch, which has only live data or unknown sources")
      : notChecked(db);
  }
  if (more.length > 0)
    return failed(`${more.length + 1} manifests are stored for one epoch, but one is expected`);
  const sum = checksumOf(manifest);
  if (sum !== manifest.checksum) {
    return failed(`checksum ${manifest.checksum} does not match the content's checksum ${sum}`);
  }
  const detail = `seed ${manifest.seed}, ${manifest.t0} to ${manifest.t_end}, checksum ${sum}`;
  return { result: verdict("manifest", true, detail), manifest };
}

/** True if a generator wrote the epoch; the demo and a load never go live. */
export const isGenerated = (sources: readonly Source[]): boolean =>
  sources.length === 0 || sources.some(isGenerator);

const notChecked = (db: Database): ManifestFinding => ({
  result: skipped(
    "manifest",
    `only a generated history has one; to check your own data, ${hintToRun(db, "prove")}`,
  ),
  manifest: undefined,
});

const failed = (detail: string): ManifestFinding => ({
  result: verdict("manifest", false, detail),
  manifest: undefined,
});
