import { cpSync, existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { importAccountSchema } from "../../contract/import-account.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { engineFileName, IMPORT_FILE } from "../../generator/dataset/format.ts";
import type { ServerDatabase } from "../database/http.ts";
import { literal } from "../sql.ts";

/** A message whose session got an account later counts beside the one with the account. */
const WITHOUT_ACCOUNT = `replaceRegexpOne(line, '("user_domain_id":)"[^"]+"', '\\\\1null')`;

/**
 * Puts the messages that appended files add after those of the earlier dataset, so that a load can go on there.
 * @param dir folder with all messages, in new files
 * @returns when the earlier lines were written; undefined if one of them has changed, and the new files stay
 */
export async function keepEarlierLines(
  db: ServerDatabase,
  earlier: string,
  dir: string,
  settings: string,
): Promise<string | undefined> {
  const lines = (folder: string, stream: StreamName): string =>
    `file(${literal(join(folder, engineFileName(stream)))}, LineAsString, 'line String')`;
  const digests = (stream: StreamName, texts: string): string =>
    `SELECT digest FROM (
       SELECT sipHash128(line) AS digest, false AS is_new FROM ${lines(earlier, stream)}
       UNION ALL
       SELECT sipHash128(arrayJoin([${texts}])), true FROM ${lines(dir, stream)})
     GROUP BY digest`;
  for (const stream of STREAMS) {
    if (!existsSync(join(earlier, engineFileName(stream)))) return undefined;
    const texts = stream === "device" ? `line, ${WITHOUT_ACCOUNT}` : "line";
    const lost = `${digests(stream, texts)} HAVING NOT max(is_new) LIMIT 1 ${settings}`;
    if ((await db.rows(lost)).length > 0) return undefined;
  }
  for (const stream of STREAMS) {
    const file = join(dir, engineFileName(stream));
    const whole = join(dir, `whole-${engineFileName(stream)}`);
    cpSync(join(earlier, engineFileName(stream)), whole);
    await db.run(
      `INSERT INTO FUNCTION file(${literal(whole)}, LineAsString) SELECT line FROM ${lines(dir, stream)}
       WHERE sipHash128(line) IN (${digests(stream, "line")} HAVING min(is_new)) ${settings}, max_threads = 1`,
    );
    renameSync(whole, file);
  }
  const account = readFileSync(join(earlier, IMPORT_FILE), "utf8");
  return importAccountSchema.parse(JSON.parse(account)).written_at;
}
