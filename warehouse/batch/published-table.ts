import { readQuery } from "../sql.ts";

/** The key by which a table of changed ids selects rows. */
export const SCOPES = {
  event: "event_id",
  click: "click_id",
  session: "click_id",
  visitor_click: "click_id",
  visitor: "user_custom_id",
} as const;

export type Scope = keyof typeof SCOPES;

/** A table that is one SELECT: `sql/etl/<database>/<table>.sql`. */
export interface PublishedTable {
  /** Such as `dm.session`. */
  readonly publish: string;
  /** The rows that a load replaces; without it, every load replaces the whole table. */
  readonly rows?: Exclude<Scope, "visitor_click"> | undefined;
  /** The tables that the SELECT reads, each with the rows that it needs for these. */
  readonly from: Readonly<Record<string, Scope>>;
}

/** The SELECT that gives every row of a table. */
export const readSelect = (table: string): string =>
  readQuery(`etl/${table.replace(".", "/")}.sql`);
