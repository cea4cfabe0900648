import { type Command, InvalidArgumentError, Option } from "commander";
import { quote } from "../contract/command-call.ts";
import { UserError } from "../contract/errors.ts";
import type { Database } from "../contract/ports.ts";
import { requireConsent } from "../terminal/confirm.ts";
import { formatCount, formatSeconds, renderTable } from "../terminal/format.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { startProgress } from "../terminal/progress.ts";
import { filledTables } from "../warehouse/batch/clear-layers.ts";
import { hintToRun } from "../warehouse/database/command.ts";
import { withTemporaryWorkspace } from "../warehouse/database/open.ts";
import { holdsData, isServer } from "../warehouse/engine/workspace.ts";
import { eraseAgain } from "../warehouse/keep/erase.ts";
import { requireRestorable, restoreSnapshot } from "../warehouse/keep/restore.ts";
import { takeSnapshot } from "../warehouse/keep/snapshot.ts";
import { deleteFolders, readSnapshots, type Snapshot } from "../warehouse/keep/snapshots.ts";
import { renderReconciliation } from "../warehouse/reconciliation/render.ts";
import { requireNothingLost } from "../warehouse/reconciliation/requirements.ts";
import {
  bootstrapOption,
  type DatabaseOption,
  databaseOption,
  jsonOption,
  wholeNumber,
  withBroker,
  withDatabase,
} from "./options.ts";
import { proveWith } from "./prove.ts";

const KEPT = 7;

export function registerSnapshots(program: Command): void {
  program
    .command("snapshot")
    .argument("[name]", "name; default: workspace and time", snapshotName)
    .description("Back up all stored rows; only what changed since the last full one is written")
    .addOption(databaseOption())
    .addOption(
      new Option("--keep <n>", "number of unnamed snapshots to keep")
        .env("SNAPSHOTS_KEPT")
        .argParser(wholeNumber(1))
        .default(KEPT),
    )
    .action(snapshot);
  program
    .command("restore")
    .argument("<name>", "name in the list of snapshots", snapshotName)
    .description("Replace all stored rows by those of a snapshot, then reconcile them")
    .addOption(databaseOption())
    .addOption(bootstrapOption())
    .option("--yes", "confirm that stored rows are replaced; same as YES=1")
    .action(restore);
  const snapshots = program
    .command("snapshots")
    .description("List the snapshots, or delete some")
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(list);
  snapshots
    .command("delete")
    .argument("<name...>", "names in the list")
    .description("Delete snapshots that no other snapshot needs")
    .action((names: string[], _: unknown, { parent }: Command) =>
      remove(names, (parent as Command).opts<DatabaseOption>()),
    );
}

/** Parses a name, which becomes that of a folder. */
function snapshotName(text: string): string {
  if (/^[a-z0-9][\w.-]{0,99}$/i.test(text)) return text;
  throw new InvalidArgumentError(
    "Allowed: letters, digits, . _ and -, the first a letter or digit",
  );
}

interface SnapshotOptions extends DatabaseOption {
  readonly keep: number;
}

async function snapshot(name: string | undefined, options: SnapshotOptions): Promise<void> {
  const started = performance.now();
  await withDatabase(options, async (db) => {
    const { snapshot, deleted } = await takeSnapshot(db, { name, keep: options.keep });
    const base = snapshot.base === null ? "" : ` in addition to ${snapshot.base}`;
    const seconds = (performance.now() - started) / 1000;
    printLine(
      `Snapshot ${snapshot.name}: ${formatCount(rowsOf(snapshot))} rows, ${sizeOf(snapshot)}${base}, in ${formatSeconds(seconds)}`,
    );
    if (deleted.length > 0) printLine(`Deleted ${deleted.join(", ")}`);
  });
}

interface RestoreOptions extends DatabaseOption {
  readonly bootstrap?: string;
  readonly yes?: true;
}

async function restore(name: string, options: RestoreOptions): Promise<void> {
  const bootstrap = isServer(options.database) ? options.bootstrap : undefined;
  const started = performance.now();
  await withDatabase(
    options,
    async (db) => {
      const snapshot = await requireRestorable(db, name);
      const agrees = options.yes || (await filledTables(db)).length === 0;
      const question = `Replace the rows of ${db.label} by those of ${name}?`;
      await requireConsent(agrees, question, refusal(db, name));
      await (bootstrap
        ? restoreWithReaders(db, snapshot, bootstrap)
        : restoreSnapshot(db, snapshot));
      const seconds = (performance.now() - started) / 1000;
      printLine(
        `Restored ${name}: ${formatCount(rowsOf(snapshot))} rows as in its manifest, in ${formatSeconds(seconds)}`,
      );
      await eraseAgain(db);
      const reconciliation = await proveWith(db, bootstrap);
      printLine(renderReconciliation(reconciliation));
      requireNothingLost(reconciliation);
    },
    "write",
  );
}

/** Restores, then waits until the topics' messages since the snapshot are stored again. */
async function restoreWithReaders(db: Database, snapshot: Snapshot, bootstrap: string) {
  const { moveReaders } = await import("../warehouse/keep/readers.ts");
  const { waitForStorage } = await import("../warehouse/loader/wait-for-storage.ts");
  const { currentEpoch } = await import("../warehouse/sources/epoch.ts");
  await withBroker(bootstrap, undefined, async ({ admin }) => {
    await restoreSnapshot(db, snapshot, { admin, move: moveReaders });
    const progress = startProgress("reading the messages since");
    const onRows = (rows: number) => progress.update(Number.NaN, `${formatCount(rows)} rows`);
    await waitForStorage(db, admin, await currentEpoch(db), onRows);
    progress.done("stg has all messages of the topics");
  });
}

const refusal = (db: Database, name: string): UserError =>
  new UserError(
    `restore replaces all rows of ${db.label}. Nothing was changed`,
    `to confirm, ${hintToRun(db, `restore ${name} --yes`, `YES=1 make restore NAME=${name}`)}`,
  );

async function list(options: DatabaseOption): Promise<void> {
  await withSnapshots(options, async (db) => {
    const { finished, unfinished, unreadable } = await readSnapshots(db);
    if (options.json) return printJson(finished);
    const rows = finished.map((one) => [
      ...[one.name, one.time.slice(0, 16).replace("T", " "), rowsOf(one), sizeOf(one)],
      ...[one.base ?? "", one.owner],
    ]);
    const head = ["snapshot", "time (UTC)", "rows", "size", "needs", "owner"];
    printLine(rows.length > 0 ? renderTable(head, rows) : "There is no snapshot yet.");
    for (const { name } of unfinished) {
      process.stderr.write(
        `warning: ${name} is not complete: it is being made, or was interrupted; the next snapshot there deletes its remains\n`,
      );
    }
    for (const name of unreadable) {
      process.stderr.write(
        `warning: the manifest of ${name} is not readable; it is kept, and old snapshots are, too, because it may need them\n`,
      );
    }
  });
}

async function remove(names: readonly string[], options: DatabaseOption): Promise<void> {
  await withSnapshots(options, async (db) => {
    const { folder, finished, unfinished, unreadable } = await readSnapshots(db);
    const known = [...[...finished, ...unfinished].map(({ name }) => name), ...unreadable];
    const unknown = names.filter((name) => !known.includes(name));
    if (unknown.length > 0) {
      throw new UserError(
        `There is no snapshot ${unknown.join(", ")}. Nothing was deleted`,
        hintToRun(db, "snapshots"),
      );
    }
    const touched = finished.filter(({ name, base }) =>
      [name, base].some((one) => one && names.includes(one)),
    );
    const owners = touched.map(({ owner }) => owner);
    const started = unfinished.filter(({ owner = "" }) => owners.includes(owner));
    const others = [...[...touched, ...started].map(({ name }) => name), ...unreadable].filter(
      (name) => touched.length > 0 && !names.includes(name),
    );
    if (others.length > 0) {
      const all = [...names, ...others].map(quote).join(" ");
      throw new UserError(
        `${others.join(", ")} may need files of ${names.join(", ")}. Nothing was deleted`,
        `wait until a snapshot that is being made is listed; to delete all of them, ${hintToRun(db, `snapshots delete ${all}`, `make snapshots DELETE="${all}"`)}`,
      );
    }
    await deleteFolders(db, folder, names);
    printLine(`Deleted ${names.join(", ")}`);
  });
}

/** Snapshots of workspaces are in one folder, which every engine reads, also without a workspace. */
const withSnapshots = (
  options: DatabaseOption,
  work: (db: Database) => Promise<void>,
): Promise<void> =>
  isServer(options.database) || holdsData(options.database)
    ? withDatabase({ database: options.database }, work)
    : withTemporaryWorkspace(work);

const rowsOf = ({ tables }: Snapshot): number =>
  Object.values(tables).reduce((sum, { rows }) => sum + rows, 0);

const sizeOf = ({ bytes }: Snapshot): string =>
  `${formatCount(Math.max(1, Math.round(bytes / 1e6)))} MB`;
