import { type Command, Option } from "commander";
import { callable } from "../contract/command-call.ts";
import type { Database, ReadableDatabase } from "../contract/ports.ts";
import { formatNumber, renderTable } from "../terminal/format.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { commandOn } from "../warehouse/database/command.ts";
import { isServer } from "../warehouse/engine/workspace.ts";
import { readRejected, readSelect, type TriedRepairs } from "../warehouse/keep/rejected.ts";
import { openStg, replay } from "../warehouse/keep/replay.ts";
import { ensureSchema } from "../warehouse/schema/ddl.ts";
import {
  bootstrapOption,
  type DatabaseOption,
  databaseOption,
  jsonOption,
  withBroker,
  withDatabase,
} from "./options.ts";

export function registerRejected(program: Command): void {
  const rejected = program
    .command("rejected")
    .description("List the rejected messages by stream and reason, or repair some")
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(list);
  rejected
    .command("replay")
    .description("Send rejected messages again, with the payloads of a SELECT, each once")
    .requiredOption(
      "--select <file>",
      "a SELECT of rows of ods.v_rejected with a column `repaired`, the new payload",
    )
    .addOption(new Option("--dry-run", "count what it repairs, and send nothing"))
    .addOption(bootstrapOption())
    .action((options: ReplayOptions, { parent }: Command) =>
      replayRejected({ ...options, ...(parent as Command).opts<DatabaseOption>() }),
    );
}

const SAMPLES = 3;
const SHOWN = 70;

async function list(options: DatabaseOption): Promise<void> {
  await withDatabase(options, async (db) => {
    const lines = await readRejected(db, SAMPLES);
    if (options.json) return printJson(lines);
    const rows = lines.map(({ stream, reason, messages, repaired, samples: [first = ""] }) => [
      ...[stream, reason, messages, repaired],
      shortened(first),
    ]);
    const head = ["stream", "reason", "messages", "repaired", "one of them"];
    printLine(rows.length > 0 ? renderTable(head, rows) : "No message was rejected.");
  });
}

const shortened = (text: string): string =>
  text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;

interface ReplayOptions extends DatabaseOption {
  readonly select: string;
  readonly bootstrap?: string;
  readonly dryRun?: true;
}

async function replayRejected(options: ReplayOptions): Promise<void> {
  const select = readSelect(options.select);
  await withDatabase(options, async (db) => {
    await ensureSchema(db);
    if (options.dryRun) return void (await replay(db, select, { report }));
    const bootstrap = isServer(options.database) ? options.bootstrap : undefined;
    const sent = await (bootstrap
      ? overTopics(db, select, bootstrap)
      : replay(db, select, { open: openStg, report }));
    printLine(
      `${formatNumber(sent, "message")} sent. Next: ${callable(commandOn(db, "transform --no-full-refresh", "make transform"))}`,
    );
  });
}

async function overTopics(
  db: ReadableDatabase,
  select: string,
  bootstrap: string,
): Promise<number> {
  const { openTopics } = await import("../warehouse/keep/replay-topics.ts");
  return withBroker(bootstrap, undefined, (broker) =>
    replay(db, select, { open: (held: Database) => openTopics(held, broker), report }),
  );
}

function report(tried: readonly TriedRepairs[]): void {
  const rows = tried.map(({ stream, reason, messages, sample }) => [
    ...[stream, messages, reason === "" ? "passes" : `still rejected: ${reason}`],
    shortened(sample),
  ]);
  printLine(
    rows.length > 0
      ? renderTable(["stream", "messages", "outcome", "the first new payload"], rows)
      : "The SELECT has no rejected message that is not repaired yet.",
  );
}
