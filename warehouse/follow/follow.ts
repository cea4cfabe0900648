import { UserError } from "../../contract/errors.ts";
import type { Database, Params } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { commandOn, hintToRun } from "../database/command.ts";
import { messageTables, readQuery } from "../sql.ts";
import type { Hops, Row, Trace, TracedMessage } from "./trace.ts";

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const howToFind = (db: Database): string =>
  `${hintToRun(db, "follow", "pipeline follow")} without --click, or SELECT click_id FROM dm.session LIMIT 10`;

/** Reads one session in all layers. @throws UserError if the id is not a UUID or no row has it */
export async function followClick(db: Database, clickId: string): Promise<Trace> {
  if (!UUID.test(clickId)) {
    throw new UserError(`--click ${clickId} is not a click_id. Allowed: a UUID`, howToFind(db));
  }
  const params = { click_id: clickId, click: clickId.toLowerCase() };
  const messages = await tracedMessages(db, params);
  const typed = {} as Record<StreamName, Row[]>;
  for (const stream of STREAMS) typed[stream] = await db.rows(typedMessages(stream), params);
  const rowsOf = (table: string, order = ""): Promise<Row[]> =>
    db.rows(`SELECT * FROM ${table} WHERE ${IS_OF_CLICK} ${order}`, params);
  const events = await rowsOf("dds.event", "ORDER BY event_timestamp, _offset, event_id");
  const [click = null] = await rowsOf("dds.click");
  const [session = null] = await rowsOf("dm.session");
  if (messages.length === 0 && events.length === 0 && !click && !session) {
    throw new UserError(
      `No layer of ${db.label} contains the click_id ${params.click}`,
      howToFind(db),
    );
  }
  return { clickId: params.click, messages, typed, events, click, session };
}

const IS_OF_CLICK = "click_id = {click_id:UUID}";

/** Selects the typed messages of a session in finished loads, browser messages in the order of time. */
function typedMessages(stream: StreamName): string {
  const isOfClick =
    stream === "location"
      ? `(event_id IN (SELECT event_id FROM ods.browser_event WHERE ${IS_OF_CLICK})
          OR (epoch, _partition, _offset) IN (SELECT epoch, _partition, _offset FROM stg.raw WHERE _topic = 'location_events' AND _key = {click:String}))`
      : IS_OF_CLICK;
  return `SELECT * FROM ods.${messageTables(stream).typed}
    WHERE ${isOfClick} AND load_id IN (SELECT load_id FROM ods.load_commit)
    ORDER BY ${stream === "browser" ? "event_timestamp, " : ""}epoch, _partition, _offset`;
}

/** Returns the session of an imported file that has this id there. @throws UserError if there is none */
export async function clickOfSession(db: Database, session: string): Promise<string> {
  const [row] = await db.rows<{ click_id: string }>(
    "SELECT toString(click_id) AS click_id FROM dds.event WHERE properties['session_id'] = {session:String} OR click_id = toUUIDOrNull({session:String}) LIMIT 1",
    { session },
  );
  if (row) return row.click_id;
  throw new UserError(
    `No imported session has the id ${session}`,
    "list some: SELECT DISTINCT properties['session_id'] FROM dds.event LIMIT 10",
  );
}

/** Returns a session with many kinds of rows, if there is one. @throws UserError if dm has none */
export async function interestingClick(db: Database): Promise<string> {
  const [row] = await ask<{ click_id: string }>(db, "example_session");
  if (row) return row.click_id;
  throw new UserError(
    "dm has no sessions yet",
    `${hintToRun(db, "transform")}; without data, first \`${commandOn(db, "data")}\``,
  );
}

type MessageRow = Omit<TracedMessage, "stream" | "hops"> & Hops;

async function tracedMessages(db: Database, params: Params): Promise<TracedMessage[]> {
  const found: TracedMessage[] = [];
  for (const stream of STREAMS) {
    const id = stream === "location" ? "event_id" : "click_id";
    const own = { ...params, ...messageTables(stream), stream, id };
    const rows = await ask<MessageRow>(db, "messages", own);
    found.push(...rows.map((row) => traced(stream, row)));
  }
  return found.sort(byEmission);
}

function traced(stream: StreamName, row: MessageRow): TracedMessage {
  const { emitted, broker, ingested, loaded, integrated, presented, ...message } = row;
  const hops = { emitted, broker, ingested, loaded, integrated, presented };
  return { stream, ...message, hops };
}

function byEmission(a: TracedMessage, b: TracedMessage): number {
  const [x, y] = [a.hops.emitted ?? "", b.hops.emitted ?? ""];
  if (a.epoch !== b.epoch) return a.epoch - b.epoch;
  return x < y ? -1 : x > y ? 1 : STREAMS.indexOf(a.stream) - STREAMS.indexOf(b.stream);
}

const ask = <T>(db: Database, name: string, params: Params = {}): Promise<T[]> =>
  db.rows<T>(readQuery(`follow/${name}.sql`), params);
