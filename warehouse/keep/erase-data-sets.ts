import { existsSync, globSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Database } from "../../contract/ports.ts";
import { IMPORT_FILE } from "../../generator/dataset/format.ts";
import type { ServerDatabase } from "../database/http.ts";
import { openWorkspace } from "../database/open.ts";
import { stateRoot } from "../engine/workspace.ts";
import { createTables, EVENTS, rewriteDataSet } from "../import/import.ts";
import { readAllSources } from "../sources/stored.ts";
import { keysOfErasedTexts } from "./erased-words.ts";

interface Known {
  readonly hashes: readonly { readonly hash: string }[];
  /** Tuple of the key. */
  readonly secret: string;
}

/** Erases visitors from the datasets of imports that were loaded, and of those in the folder of imports. */
export async function eraseFromDataSets(db: Database): Promise<void> {
  const hashes = await db.rows<{ hash: string }>("SELECT hex(hash) AS hash FROM stg.erased");
  const [key] = await db.rows<{ secret: string }>(
    "SELECT concat('(toUInt64(', toString(low), '), toUInt64(', toString(high), '))') AS secret FROM stg.erasure_key",
  );
  if (key === undefined) return;
  const known = { hashes, secret: key.secret };
  for (const dir of await dataSetsOf(db)) {
    if (await hasErased(dir, known))
      await rewriteDataSet(dir, (events) => eraseEvents(events, known));
  }
}

async function dataSetsOf(db: Database): Promise<string[]> {
  const others = globSync(join(stateRoot(), "imports", "*", IMPORT_FILE)).map(dirname);
  const all = new Set([...(await loadedFolders(db)), ...others].map((dir) => resolve(dir)));
  return [...all].filter((dir) => existsSync(join(dir, IMPORT_FILE)));
}

/** Lists the folders of loaded imports that are not on this machine. */
export const missingDataSets = async (db: Database): Promise<string[]> =>
  (await loadedFolders(db)).filter((dir) => !existsSync(dir));

const loadedFolders = async (db: Database): Promise<string[]> =>
  [...(await readAllSources(db)).values()]
    .flat()
    .flatMap(({ imported, kind }) => (imported && kind !== "collector" ? [imported.dir] : []));

async function hasErased(dir: string, known: Known): Promise<boolean> {
  const db = await openWorkspace(join(dir, EVENTS));
  try {
    await createTables(db);
    await loadHashes(db, known.hashes);
    const [found] = await db.rows<{ count: number }>(
      `SELECT (SELECT count() FROM event WHERE ${isErased(known)})
         + (SELECT count() FROM rejected WHERE (file, number) IN (${erasedTexts(known)})) AS count`,
    );
    return found?.count !== 0;
  } finally {
    await db.close();
  }
}

async function loadHashes(db: ServerDatabase, hashes: Known["hashes"]): Promise<void> {
  await db.run("CREATE OR REPLACE TABLE erased_hex (hash String) ENGINE = Memory");
  const lines = hashes.map(({ hash }) => Buffer.from(`${hash}\n`));
  await db.insertTsv("erased_hex", ["hash"], lines);
  await db.run(
    "CREATE OR REPLACE TABLE erased ENGINE = Memory AS SELECT toFixedString(unhex(hash), 16) AS hash FROM erased_hex",
  );
}

/** The account is that of the device message (sql/import/messages.sql). */
const ACCOUNT =
  "ifNull(toUUIDOrNull(account_id), reinterpretAsUUID(sipHash128((SELECT name FROM data_set), 'account', of_site(site, account_id))))";

const isErased = ({ secret }: Known): string =>
  ["visitor_id", "toString(event_id)", `toString(${ACCOUNT})`]
    .map((id) => `sipHash128Keyed(${secret}, ${id}) IN erased`)
    .join(" OR ");

const erasedTexts = ({ secret }: Known): string =>
  keysOfErasedTexts(
    { key: "file, number", text: "concat(detail, ' ', content)", from: "rejected" },
    { hashes: "erased", secret: `SELECT ${secret}` },
  );

/** A row that gives an erased event stays without its content, so that the account of the files stays complete. */
async function eraseEvents(db: ServerDatabase, known: Known): Promise<void> {
  await loadHashes(db, known.hashes);
  await replaceRows(db, "event", [
    `SELECT * FROM event WHERE NOT (${isErased(known)})`,
    `(row, rejected, skipped, at, slice)
     SELECT (row.file, row.number, toFixedString('', 16)), rejected, if(rejected = '' AND skipped = '', 'erased', skipped), at, slice
     FROM event WHERE ${isErased(known)}`,
  ]);
  await replaceRows(db, "rejected", [
    `SELECT * FROM rejected WHERE (file, number) NOT IN (${erasedTexts(known)})`,
    `SELECT file, number, reason, '', '' FROM rejected WHERE (file, number) IN (${erasedTexts(known)})`,
  ]);
}

/** Writes a table again, so that no file keeps the erased rows. */
async function replaceRows(
  db: ServerDatabase,
  table: string,
  selects: readonly string[],
): Promise<void> {
  await db.run(`CREATE OR REPLACE TABLE clean AS ${table}`);
  for (const select of selects) await db.run(`INSERT INTO clean ${select}`);
  await db.run(`EXCHANGE TABLES ${table} AND clean`);
  await db.run("DROP TABLE clean SYNC");
}
