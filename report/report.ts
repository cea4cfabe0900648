import type { Manifest } from "../contract/manifest.ts";
import type { Database } from "../contract/ports.ts";
import { parseMicros } from "../contract/time.ts";
import type { StepResult } from "../warehouse/batch/run-step.ts";
import { followClick, interestingClick } from "../warehouse/follow/follow.ts";
import { readAnalytics } from "../warehouse/history/analytics.ts";
import { modelOf } from "../warehouse/history/model.ts";
import { readComparisons } from "../warehouse/history/truth.ts";
import type { Reconciliation } from "../warehouse/reconciliation/reconciliation.ts";
import { readQuery } from "../warehouse/sql.ts";
import { renderPage, type Section } from "./page.ts";
import { clickSection } from "./sections/click.ts";
import { headline } from "./sections/headline.ts";
import { layersSection } from "./sections/layers.ts";
import { nextSection } from "./sections/next.ts";
import { qualitySection, type SummaryLine } from "./sections/quality.ts";
import { truthSection } from "./sections/truth.ts";
import { type Audience, type Share, visitorsSection } from "./sections/visitors.ts";
import { waveSection } from "./sections/wave.ts";

export interface ReportInput {
  readonly reconciliation: Reconciliation;
  readonly manifest: Manifest;
  readonly steps: readonly StepResult[];
  /** Session to show in all layers; default: a session with markers. */
  readonly clickId?: string;
  readonly database?: string;
}

/** Builds the report. @throws UserError if dm has no session or no row has `clickId` */
export async function buildReport(db: Database, input: ReportInput): Promise<string> {
  const { reconciliation, manifest, steps } = input;
  const model = modelOf({ manifest });
  const interval = { from: parseMicros(manifest.t0), to: parseMicros(manifest.t_end) };
  const analytics = await readAnalytics(db, model, interval);
  const trace = await followClick(db, input.clickId ?? (await interestingClick(db)));
  const summary = await ask<SummaryLine>(db, "data_quality");
  return renderPage({
    title: `Event pipeline: seed ${manifest.seed}`,
    header: headline(manifest, analytics.totals, reconciliation),
    sections: [
      waveSection(analytics, model.config),
      visitorsSection(analytics, await readAudience(db)),
      ...(await truthOf(db, manifest)),
      qualitySection(reconciliation.defects, summary),
      layersSection(reconciliation, steps),
      clickSection(trace),
      nextSection(trace.clickId, input.database),
    ],
  });
}

/** Only a behaviour with differences publishes what is true. */
async function truthOf(db: Database, { truth }: Manifest): Promise<Section[]> {
  return truth === undefined ? [] : [truthSection(await readComparisons(db))];
}

const readAudience = async (db: Database): Promise<Audience> => ({
  sources: await ask<Share>(db, "sources"),
  devices: await ask<Share>(db, "devices"),
  browsers: await ask<Share>(db, "browsers"),
  countries: await ask<Share>(db, "countries"),
});

const ask = <T>(db: Database, name: string): Promise<T[]> =>
  db.rows<T>(readQuery(`report/${name}.sql`));
