import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { UserError } from "../contract/errors.ts";
import { readFailure } from "../contract/files.ts";
import type { Database } from "../contract/ports.ts";
import { requireConsent } from "../terminal/confirm.ts";
import { formatCount, formatNumber, renderTable } from "../terminal/format.ts";
import { printLine } from "../terminal/print.ts";
import { startProgress } from "../terminal/progress.ts";
import { hintToRun } from "../warehouse/database/command.ts";
import {
  beginErasure,
  type Found,
  finishErasures,
  previewErasure,
  readErasures,
} from "../warehouse/keep/erase.ts";
import { missingDataSets } from "../warehouse/keep/erase-data-sets.ts";
import { ownerOf, readSnapshots } from "../warehouse/keep/snapshots.ts";
import {
  bootstrapOption,
  type DatabaseOption,
  databaseOption,
  nonEmpty,
  withBroker,
  withDatabase,
} from "./options.ts";

interface EraseOptions extends DatabaseOption {
  readonly file?: string;
  readonly request?: string;
  readonly topics?: true;
  readonly bootstrap?: string;
  readonly yes?: true;
}

export function registerErase(program: Command): void {
  program
    .command("erase")
    .argument(
      "[visitor...]",
      "ids of visitors (user_custom_id) or accounts (user_domain_id)",
      addId,
    )
    .description(
      "Erase visitors from all layers and their files; without an id, complete erasures and list them",
    )
    .addOption(databaseOption())
    .option("--file <file>", "file with one id per line", nonEmpty)
    .option("--request <text>", "what the log calls the request, such as its number", nonEmpty)
    .option(
      "--topics",
      "delete all messages of the topics that the database has; default: their retention deletes them",
    )
    .addOption(bootstrapOption())
    .option("--yes", "confirm; same as YES=1. Without it, a terminal is asked")
    .action(erase);
}

async function erase(given: readonly string[], options: EraseOptions): Promise<void> {
  const ids = [...new Set([...given, ...idsIn(options.file)])];
  await withDatabase(options, async (db) => {
    if (ids.length > 0) {
      const request = requireRequest(options.request);
      const found = await previewErasure(db, ids);
      printLine(previewText(ids, found));
      warnOfUnknown(found);
      await requireConsent(options.yes, `Erase these rows of ${db.label} for ever?`, refusal(db));
      await beginErasure(db, ids, request);
    }
    if (options.topics) await deleteFromTopics(db, options.bootstrap);
    const progress = startProgress("erasing");
    await finishErasures(db);
    progress.done("erased, and the files that held the rows are deleted");
    printLine(await logText(db));
    await warnOfSnapshots(db);
    for (const dir of await missingDataSets(db)) {
      process.stderr.write(
        `warning: the dataset ${dir} is not on this machine; delete it where it is, or run erase there\n`,
      );
    }
  });
}

async function deleteFromTopics(db: Database, bootstrap: string | undefined): Promise<void> {
  const { deleteStoredMessages } = await import("../warehouse/keep/erase-topics.ts");
  await withBroker(bootstrap, undefined, ({ admin }) => deleteStoredMessages(db, admin));
}

/** An empty id, such as of a variable that is not set, would be every visitor without one. */
const addId = (id: string, earlier: readonly string[] = []): string[] => [
  ...earlier,
  nonEmpty(id.trim()),
];

function idsIn(file: string | undefined): string[] {
  if (file === undefined) return [];
  try {
    const lines = readFileSync(file, "utf8")
      .replace(/^\uFEFF/, "")
      .split("\n");
    return lines.map((line) => line.trim()).filter((line) => line !== "");
  } catch (error) {
    throw readFailure(error, file) ?? error;
  }
}

function requireRequest(request: string | undefined): string {
  if (request !== undefined) return request;
  throw new UserError(
    "An erasure needs the name of its request for the log. Nothing was changed",
    "add --request TEXT, such as the number of the request",
  );
}

const previewText = (ids: readonly string[], found: Found): string =>
  [
    renderTable(
      ["table", "rows to erase"],
      found.tables.map(({ table, rows }) => [table, rows]),
    ),
    `${formatCount(ids.length - found.unknown.length)} of ${formatNumber(ids.length, "id")} known: ${formatNumber(found.sessions, "session")}, ${formatNumber(found.messages, "message")}`,
  ].join("\n");

const SHOWN_UNKNOWN = 5;

function warnOfUnknown({ unknown }: Found): void {
  if (unknown.length === 0) return;
  const names = unknown.slice(0, SHOWN_UNKNOWN).map((id) => JSON.stringify(id));
  const more = unknown.length > SHOWN_UNKNOWN ? ", …" : "";
  process.stderr.write(
    `warning: no session has ${names.join(", ")}${more}. hint: dm.visitor lists the ids, in user_custom_id and user_domain_id\n`,
  );
}

const refusal = (db: Database): UserError =>
  new UserError(
    "Nothing was changed",
    `to erase these rows for ever, ${hintToRun(db, "erase ID --request TEXT --yes", "YES=1 make erase IDS=ID REQUEST=TEXT")}`,
  );

async function logText(db: Database): Promise<string> {
  const rows = (await readErasures(db)).map((one) => [
    ...[one.began_at, one.request, one.ids, one.sessions, one.messages],
    one.finished_at ?? "not yet",
  ]);
  const head = ["began (UTC)", "request", "ids", "sessions", "messages", "erased (UTC)"];
  return rows.length > 0 ? renderTable(head, rows) : "Nothing was erased yet.";
}

/** Names the snapshots from before the latest erasure, which still have the rows. */
async function warnOfSnapshots(db: Database): Promise<void> {
  const latest = (await readErasures(db)).at(-1);
  if (latest === undefined) return;
  const own = await ownerOf(db);
  const known = await readSnapshots(db).catch(() => undefined);
  const older = (known?.finished ?? []).filter(
    ({ time, owner }) =>
      owner === own && time.slice(0, 19).replace("T", " ") <= (latest.finished_at ?? ""),
  );
  if (older.length === 0) return;
  const names = older.map(({ name }) => name).join(" ");
  process.stderr.write(
    `warning: ${formatNumber(older.length, "snapshot")} from before may still have these rows; a restore erases them again. To delete them, ${hintToRun(db, `snapshots delete ${names}`, `make snapshots DELETE="${names}"`)}\n`,
  );
}
