import { type Manifest, manifestSchema } from "../../../contract/manifest.ts";
import type { Database } from "../../../contract/ports.ts";
import { checksumOf } from "../../../generator/manifest.ts";
import { type CheckResult, verdict } from "./result.ts";

export interface ManifestFinding {
  readonly result: CheckResult;
  readonly manifest: Manifest | undefined;
}

export async function checkManifest(db: Database, epoch: number): Promise<ManifestFinding> {
  const texts = await db.rows<{ source: string; manifest: string }>(
    `SELECT source, manifest FROM stg.manifest FINAL
     WHERE epoch = {epoch:UInt64} AND manifest != '' ORDER BY stored_at`,
    { epoch },
  );
  const [only, ...more] = texts;
  if (only === undefined) {
    return failed("none is stored for this epoch: a slice, an appended load or live data only");
  }
  if (more.length > 0) return failed(`${texts.length} are stored for one epoch, one is expected`);
  return examine(only.source, only.manifest);
}

function examine(source: string, text: string): ManifestFinding {
  const parsed = manifestSchema.safeParse(parseOrNull(text));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return failed(`that of "${source}" is broken: ${issue?.path.join(".")} ${issue?.message}`);
  }
  const manifest = parsed.data;
  const sum = checksumOf(manifest);
  if (sum !== manifest.checksum) {
    return failed(`checksum ${manifest.checksum} does not fit the content, which gives ${sum}`);
  }
  const detail = `seed ${manifest.seed}, ${manifest.t0} to ${manifest.t_end}, checksum ${sum}`;
  return { result: verdict("manifest", true, detail), manifest };
}

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
