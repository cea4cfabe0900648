import { beforeAll, expect, test } from "vitest";
import { buildReport } from "../../../report/report.ts";
import { interestingClick } from "../../../warehouse/follow/follow.ts";
import { intervalOf, readAnalytics } from "../../../warehouse/history/analytics.ts";
import { modelOf } from "../../../warehouse/history/model.ts";
import { renderAnalytics } from "../../../warehouse/history/render.ts";
import { ratioToModel } from "../../../warehouse/history/wave.ts";
import { prove } from "../../../warehouse/reconciliation/prove.ts";
import { clearAll } from "../../support/engine.ts";
import { faultsOf } from "../../support/markup.ts";
import {
  browserMessage,
  deviceMessage,
  geoMessage,
  locationMessage,
} from "../../support/messages.ts";
import { load, publish } from "../../support/pipeline.ts";
import { useTestEngine } from "../../support/use-engine.ts";
import { type History, makeHistory, reload, storeManifest, T_END, T0 } from "./generate.ts";

/** Settings of a scenario; the digests are of no version. */
const SALE_DAY = { GEN_SCENARIO: "sale-day 0", GEN_BEHAVIOUR: "shop 0" };
const steps = [{ id: "load_ods", seconds: 1.5, report: { typed: 7 } }];

const engine = useTestEngine();
let history: History;
beforeAll(async () => {
  history = await makeHistory();
});

test("the report of a valid run is one file, and summarises the results", async () => {
  await reload(engine.db, history.backfill, history.manifest);
  const reconciliation = await prove(engine.db);
  expect(modelOf(history)?.doubt).toBeNull();
  const input = { reconciliation, steps, place: {} };
  const page = await buildReport(engine.db, input);
  expect(faultsOf(page)).toEqual([]);
  expect(page).toContain(history.manifest.checksum);
  expect(page).toContain("<strong>0</strong> <span>unaccounted for</span>");
  expect(page).toContain("number-card good");
  expect(page).toContain(await interestingClick(engine.db));
  for (const id of ["wave", "visitors", "quality", "layers", "click", "next"]) {
    expect(page).toContain(`<h2 id="${id}">`);
  }
  // The behaviour is plain, whose segments are alike.
  expect(page).not.toContain('id="truth"');
  expect(page).toContain("The daily wave is the change of the number of page events");
  const broken = await buildReport(engine.db, {
    ...input,
    reconciliation: { ...reconciliation, unaccounted: 2, verdict: "unaccounted" },
  });
  expect(broken).toContain("number-card bad");
});

test("the analytics follow the model and equal the layers", async () => {
  await reload(engine.db, history.backfill, history.manifest);
  const model = modelOf(history);
  const interval = await intervalOf(engine.db, history.manifest);
  expect(interval).toEqual({ from: T0, to: T_END });
  const analytics = await readAnalytics(engine.db, model, interval);
  const hours = analytics.wave.map((point) => Math.round(point.expected));
  expect(hours).toEqual([1800, 2160]);
  // Two hours of clustered sessions: within five standard deviations.
  expect(Math.abs(ratioToModel(analytics.wave) - 1)).toBeLessThan(0.25);
  const observed = analytics.wave.reduce((sum, point) => sum + point.observed, 0);
  expect(observed).toBe(analytics.totals.page_events - analytics.totals.skewed_events);
  expect(analytics.days.map((day) => day.page_events)).toEqual([observed]);
  expect(analytics.funnel[0]).toMatchObject({ stage: "home" });
  expect(analytics.retention).toEqual([]);
  const text = renderAnalytics(analytics, model);
  expect(text).toContain("08:00");
  expect(text).toContain("no day (UTC) is complete");
});

test("live events extend the interval", async () => {
  await reload(engine.db, [...history.backfill, ...history.live], history.manifest);
  const { from, to } = await intervalOf(engine.db, history.manifest);
  expect(from).toBe(T0);
  expect((to - T_END) / 60e6).toBeGreaterThan(85);
});

test("data that no generator wrote are compared with no model", async () => {
  const { settings: _, ...manifest } = history.manifest;
  await reload(engine.db, history.backfill, manifest);
  await engine.db.run(
    `INSERT INTO stg.site (epoch, settings) SELECT max(epoch), '{"timezone":"Europe/Berlin"}' FROM stg.epoch`,
  );
  const page = await buildReport(engine.db, {
    reconciliation: await prove(engine.db),
    place: { directory: "shop" },
  });
  expect(faultsOf(page)).toEqual([]);
  // The example's messages and rows name their site.
  const ownWords = page.replaceAll(/(&quot;|<dd>)generated(&quot;|<\/dd>)/g, "");
  for (const text of ["Model", "the model", "Artificial", "generated"]) {
    expect(ownWords).not.toContain(text);
  }
  expect(page).toContain("<h1>2 hours of backfill</h1>");
  // The history begins at 08:00 UTC.
  expect(page).toContain(
    "<dt>Time (Europe/Berlin)</dt><dd>2026-01-01 09:00 to 2026-01-01 11:00</dd>",
  );
  const [counts = ""] = page.split('<h2 id="layers">');
  expect(counts).not.toContain("UTC");
  expect(page).toContain("prove --database shop");
});

test("the report of a scenario names it, and gives no answer away", async () => {
  const settings = { ...history.manifest.settings, ...SALE_DAY };
  await reload(engine.db, history.backfill, { ...history.manifest, settings });
  const page = await buildReport(engine.db, {
    reconciliation: await prove(engine.db),
    place: {},
  });
  expect(page).toContain("<h1>2 hours of scenario sale-day</h1>");
  expect(page).not.toContain("Model: base");
  expect(page).not.toContain('id="truth"');
});

test("any data stays text in the page: no tag, no script, no reference", async () => {
  const hostile = `</script><script src="https://evil.example/x.js"></script><img onerror='a'>&amp;\u0001]]>`;
  await clearAll(engine.db);
  await publish(engine.db, [
    browserMessage({ event_id: "00000000-0000-4000-8000-0000000000aa", browser_name: hostile }),
    browserMessage({ browser_name: hostile, browser_language: hostile, event_type: hostile }),
    locationMessage({ page_url_path: hostile, referer_medium: hostile, utm_source: hostile }),
    deviceMessage({ device_type: hostile, os_name: hostile, user_custom_id: hostile }),
    geoMessage({ geo_country: hostile, geo_region_name: hostile }),
  ]);
  await load(engine.db, "full");
  await engine.db.run(
    "INSERT INTO dm.dq_summary (layer, entity, metric, value) SELECT 'ods', {h:String}, {h:String}, 1",
    { h: hostile.replaceAll("\u0001", "") },
  );
  await storeManifest(engine.db, { ...history.manifest, seed: hostile });
  const page = await buildReport(engine.db, {
    reconciliation: await prove(engine.db),
    steps: [{ id: hostile, seconds: 1, report: { [hostile]: 1 } }],
    place: { directory: hostile },
  });
  expect(faultsOf(page)).toEqual([]);
  expect(page).not.toContain("<script");
  expect(page).toContain("&lt;script src=");
});

test("an empty dm is a clear error", async () => {
  await clearAll(engine.db);
  await expect(intervalOf(engine.db, undefined)).rejects.toThrow("dm has no page event");
});
