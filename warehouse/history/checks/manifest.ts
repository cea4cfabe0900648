import { type Manifest, manifestSchema } from "../../../contract/manifest.ts";
import type { Database } from "../../../contract/ports.ts";
import { checksumOf } from "../../../generator/canonical.ts";
import { hintToRun } from "../../database/command.ts";
import { isGenerator, type Source } from "../../sources/source.ts";
import { type ManifestText, readManifestTexts, readSources } from "../../sources/stored.ts";
import { type CheckResult, skipped, verdict } from "./result.ts";

export interface ManifestFinding {
  readonly result: CheckResult;
  readonly manifest: Manifest | undefined;
}

/** Checks the only manifest of the epoch. @param newer sources that replace the stored ones */
export async function checkManifest(
  db: Database,
  epoch: number,
  newer: readonly Source[],
): Promise<ManifestFinding> {
  const texts = await manifestTexts(db, epoch, newer);
  const [only, ...more] = texts;
  if (only === undefined) {
    return (await isGenerated(db, epoch, newer))
      ? failed("no manifest is stored for this epoch, which has only live data or unknown sources")
      : notChecked(db);
  }
  if (more.length > 0)
    return failed(`${texts.length} manifests are stored for one epoch, but one is expected`);
  return examine(only.source, only.manifest);
}

async function manifestTexts(
  db: Database,
  epoch: number,
  newer: readonly Source[],
): Promise<ManifestText[]> {
  const stored = await readManifestTexts(db, epoch);
  const replaced = new Set(newer.map(({ name }) => name));
  return [
    ...stored.filter(({ source }) => !replaced.has(source)),
    ...newer.flatMap(({ name, manifest }) =>
      manifest === undefined ? [] : [{ source: name, manifest: JSON.stringify(manifest) }],
    ),
  ];
}

function examine(source: string, text: string): ManifestFinding {
  const parsed = manifestSchema.safeParse(parseOrNull(text));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return failed(
      `the manifest of "${source}" is invalid: ${issue?.path.join(".") || "value"}: ${issue?.message}`,
    );
  }
  const manifest = parsed.data;
  const sum = checksumOf(manifest);
  if (sum !== manifest.checksum) {
    return failed(`checksum ${manifest.checksum} does not match the content's checksum ${sum}`);
  }
  const detail = `seed ${manifest.seed}, ${manifest.t0} to ${manifest.t_end}, checksum ${sum}`;
  return { result: verdict("manifest", true, detail), manifest };
}

/** True if a generator wrote the epoch; the demo and a load never go live. */
export async function isGenerated(...parameters: Parameters<typeof readSources>): Promise<boolean> {
  const sources = await readSources(...parameters);
  return sources.length === 0 || sources.some(isGenerator);
}

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

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
