import { UserError } from "../../contract/errors.ts";
import type { Manifest } from "../../contract/manifest.ts";
import type { Database, Params } from "../../contract/ports.ts";
import { HOUR, type Micros, parseMicros } from "../../contract/time.ts";
import { commandOn, hintToRun } from "../database/command.ts";
import { readQuery } from "../sql.ts";
import type { HistoryModel } from "./model.ts";
import { type RetentionCell, type RetentionRow, retentionRows } from "./retention.ts";
import {
  dailyProfile,
  hourlyWave,
  hourStart,
  type Interval,
  type ProfileHour,
  type QuarterCount,
  type WavePoint,
} from "./wave.ts";

export interface Totals {
  readonly page_events: number;
  readonly purchases: number;
  readonly revenue: number;
  readonly refunds: number;
  readonly net_revenue: number;
  readonly sessions: number;
  readonly visitors: number;
  readonly registered_sessions: number;
  readonly purchase_sessions: number;
  /** Currencies of the purchases and refunds, whose values are added as they are. */
  readonly currencies: readonly string[];
  /** Page events of skewed clocks, which counts per hour or day exclude. */
  readonly skewed_events: number;
}

interface DayActivity {
  /** Day of the site's clock. */
  readonly day: string;
  readonly page_events: number;
  readonly sessions: number;
  readonly visitors: number;
  readonly purchases: number;
  readonly revenue: number;
  readonly refunds: number;
  readonly net_revenue: number;
}

export interface FunnelStage {
  readonly stage_number: number;
  readonly stage: string;
  /** Sessions that saw a page of this or a later stage. */
  readonly sessions: number;
  /** Sessions that saw a page of this stage. */
  readonly seen_sessions: number;
}

export interface Analytics {
  readonly interval: Interval;
  /** Zone of the site, by whose clock days and hours are counted. */
  readonly timezone: string;
  readonly totals: Totals;
  readonly wave: readonly WavePoint[];
  readonly profile: readonly ProfileHour[];
  readonly days: readonly DayActivity[];
  readonly funnel: readonly FunnelStage[];
  readonly retention: readonly RetentionRow[];
}

export async function readAnalytics(
  db: Database,
  model: HistoryModel | undefined,
  interval: Interval,
): Promise<Analytics> {
  const params = { from: interval.from, to: interval.to };
  const quarters = await ask<QuarterCount>(db, "quarter_hours", params);
  const [totals] = await ask<Totals>(db, "totals");
  if (!totals) throw new Error("history/totals.sql returned no row");
  const timezone = await readTimezone(db);
  return {
    interval,
    timezone,
    totals,
    wave: hourlyWave(quarters, model, interval, timezone),
    profile: dailyProfile(quarters, model, interval, timezone),
    days: await ask<DayActivity>(db, "days"),
    funnel: await ask<FunnelStage>(db, "funnel"),
    retention: retentionRows(await ask<RetentionCell>(db, "retention")),
  };
}

async function readTimezone(db: Database): Promise<string> {
  const [site] = await db.rows<{ timezone: string }>("SELECT timezone FROM dm_internal.site");
  return site?.timezone ?? "UTC";
}

/** Returns the manifest's interval, extended by live events; without one, whole hours. @throws UserError without events */
export async function intervalOf(db: Database, manifest: Manifest | undefined): Promise<Interval> {
  const [range] = await ask<{ page_events: number; first_at: Micros; last_at: Micros }>(
    db,
    "range",
  );
  if (!range || range.page_events === 0) {
    throw new UserError(
      "dm has no page event to analyse",
      `${hintToRun(db, "transform")}; without data, first \`${commandOn(db, "data")}\``,
    );
  }
  const { first_at, last_at } = range;
  if (!manifest) {
    const hourOf = hourStart(await readTimezone(db));
    return { from: hourOf(first_at), to: hourOf(last_at) + HOUR };
  }
  return {
    from: parseMicros(manifest.t0),
    to: Math.max(parseMicros(manifest.t_end), last_at + 1),
  };
}

const ask = <T>(db: Database, name: string, params: Params = {}): Promise<T[]> =>
  db.rows<T>(readQuery(`history/${name}.sql`), params);
