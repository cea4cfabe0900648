import { beforeAll, describe, expect, it } from "vitest";
import { intervalsWithTruth, truthBesideEstimates } from "../../superset/charts/behaviour.ts";
import * as charts from "../../superset/charts/overview.ts";
import { allCharts } from "../../superset/dashboards/dashboards.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { itLong } from "../support/long-cases.ts";
import { IS_EXHAUSTIVE } from "../support/sample.ts";
import { rowsOf } from "./ask.ts";
import type { TestSystem } from "./environment.ts";
import { fill } from "./marts.ts";

// New York's clocks change in this range, and the engine runs in that zone (marts.ts).
const FROM = "2026-03-07T17:40:00Z";
const TO = "2026-03-09T06:20:00Z";
/** Page events per minute; in `make test-long` enough for a million in total. */
const RATE = IS_EXHAUSTIVE ? 520 : 60;

/** Every chart shows what SQL counts. */
export const numberCases = (system: TestSystem) =>
  describe("with data", () => {
    beforeAll(() => fill(system.marts.db, FROM, TO, RATE), 600_000);

    it("shows rows in every chart, without another import", async () => {
      const client = await system.login();
      for (const chart of allCharts) {
        expect(await rowsOf(client, chart), chart.title).not.toEqual([]);
      }
    });

    itLong("returns every chart of a million events", async () => {
      const outcome = await system.run();
      expect(outcome.rows).toBeGreaterThan(1_000_000);
      expect(outcome.charts.filter(({ error }) => error !== undefined)).toEqual([]);
      const times = outcome.charts.map(({ chart, seconds }) => ({ chart: chart.title, seconds }));
      const slowest = times.toSorted((a, b) => b.seconds - a.seconds);
      console.log(`slowest charts, s: ${JSON.stringify(slowest.slice(0, 5))}`);
    });

    it("shows the reconciliation's numbers", async () => {
      const client = await system.login();
      const reconciliation = await prove(system.marts.db);
      expect(reconciliation.unaccounted).toBe(0);
      const rows = new Map(reconciliation.digests.map((line) => [line.name, line.rows]));
      const pageEvents = await system.marts.db.rows(
        "SELECT toUInt32(sum(page_events)) AS page_events FROM dm.session",
      );
      expect(await rowsOf(client, charts.pageEventCount)).toEqual(pageEvents);
      expect(await rowsOf(client, charts.sessionCount)).toEqual([
        { sessions: rows.get("dm.session") },
      ]);
      const layers = await rowsOf(client, charts.layerRows);
      rows.set(
        "stg.raw",
        reconciliation.messages.reduce((sum, { raw }) => sum + raw, 0),
      );
      expect(layers.map(({ layer, entity }) => `${layer}.${entity}`).sort()).toEqual(
        [...rows.keys()].sort(),
      );
      for (const { layer, entity, amount } of layers) {
        expect(amount, `${layer}.${entity}`).toBe(rows.get(`${layer}.${entity}`));
      }
      expect(await rowsOf(client, charts.orphans)).toEqual([{ orphans: 0 }]);
    });

    it("agrees with SQL about funnel, retention and quality flags", async () => {
      const client = await system.login();
      const stages = await rowsOf(client, charts.purchaseFunnel);
      const stored = await system.marts.db.rows<{ stage: number; sessions: number }>(
        "SELECT arrayJoin([1, 2, 3, 4, 5]) AS stage, toUInt32(countIf(funnel_stage >= stage)) AS sessions FROM dm.session GROUP BY stage ORDER BY stage",
      );
      expect(stages.map((row) => row.sessions)).toEqual(stored.map((row) => row.sessions));
      // The names are those of the daily view.
      expect(stages).toEqual(
        await system.marts.db.rows(
          "SELECT toString(stage) AS stage, toUInt32(sum(v.sessions)) AS sessions FROM dm.v_funnel AS v GROUP BY stage ORDER BY sessions DESC",
        ),
      );
      const returned = await system.only<{ share: number }>(
        // Two days are complete, so only visitors of the first day can return.
        `WITH visit AS (SELECT any(user_custom_id) AS visitor, toDate(min(event_timestamp), 'UTC') AS day
         FROM dm.event_enriched WHERE user_custom_id != '' AND NOT has(event_markers, 'skewed_clock') GROUP BY click_id)
       SELECT countIf(has(days, toDate('2026-03-08'))) / count() AS share
       FROM (SELECT groupArray(day) AS days FROM visit GROUP BY visitor) WHERE has(days, toDate('2026-03-07'))`,
      );
      const curve = await rowsOf(client, charts.retentionCurve);
      expect(curve.map((row) => row.day_number)).toEqual([1]);
      expect(curve[0]?.returned).toBeCloseTo(returned.share, 9);
      const marked = await rowsOf(client, charts.markers);
      expect(marked).toContainEqual({
        layer: "dds",
        metric: "location_not_found",
        amount: (
          await system.only<{ n: number }>(
            "SELECT toUInt32(countIf(has(markers, 'location_not_found'))) AS n FROM dds.event",
          )
        ).n,
      });
    });

    it("shows the truth beside the estimates, in the order of the manifest", async () => {
      const client = await system.login();
      const stored = await system.marts.db.rows(
        `SELECT effect, segment, verdict, position AS place, row.truth AS true_value, estimate AS estimated_value,
           low AS interval_low, high AS interval_high, toUInt32(sessions) AS counted_sessions
         FROM dm.truth AS row ORDER BY position`,
      );
      expect(stored.length).toBeGreaterThan(100);
      expect(await rowsOf(client, truthBesideEstimates)).toEqual(stored);
      const { share } = await system.only<{ share: number }>(
        "SELECT avg(verdict = 'inside') AS share FROM dm.truth",
      );
      const [shown] = await rowsOf(client, intervalsWithTruth);
      expect(shown?.inside_share).toBeCloseTo(share, 9);
    });

    it("computes the daily wave from whole hours", async () => {
      const hours = await system.marts.db.rows<{ hour: number; events: number; start: number }>(
        `SELECT toHour(event_timestamp, 'UTC') AS hour, toUInt32(countIf(event_type IN ('pageview', 'purchase'))) AS events,
           toUnixTimestamp(toStartOfHour(event_timestamp, 'UTC')) AS start
         FROM dm.event_enriched WHERE NOT has(event_markers, 'skewed_clock') GROUP BY hour, start ORDER BY start`,
      );
      const [first, ...rest] = hours.slice(0, -1);
      expect(first?.hour).toBe(17);
      expect(hours.at(-1)?.hour).toBe(6);
      const means = Array.from({ length: 24 }, (_, hour) => {
        const ofHour = rest.filter((one) => one.hour === hour).map(({ events }) => events);
        return ofHour.reduce((sum, n) => sum + n, 0) / ofHour.length;
      });
      const wave = await rowsOf(await system.login(), charts.wave);
      expect(wave.map((row) => row.page_events_per_day)).toEqual(
        means.map((n) => expect.closeTo(n, 6)),
      );
    });
  });
