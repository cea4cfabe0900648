import type { Database } from "../contract/ports.ts";
import type { StepResult } from "../warehouse/batch/run-step.ts";
import type { Place } from "../warehouse/database/command.ts";
import { followClick, interestingClick } from "../warehouse/follow/follow.ts";
import { intervalOf, readAnalytics } from "../warehouse/history/analytics.ts";
import { modelOf } from "../warehouse/history/model.ts";
import { readComparisons } from "../warehouse/history/truth.ts";
import type { Reconciliation } from "../warehouse/reconciliation/reconciliation.ts";
import type { Source } from "../warehouse/sources/source.ts";
import { readEverySource } from "../warehouse/sources/stored.ts";
import { readQuery } from "../warehouse/sql.ts";
import { renderPage } from "./page.ts";
import { clickSection } from "./sections/click.ts";
import { headline, nameOf } from "./sections/headline.ts";
import { layersSection } from "./sections/layers.ts";
import { nextSection } from "./sections/next.ts";
import { qualitySection, type SummaryLine } from "./sections/quality.ts";
import { truthSection } from "./sections/truth.ts";
import { type Audience, type Share, visitorsSection } from "./sections/visitors.ts";
import { waveSection } from "./sections/wave.ts";

export interface ReportInput {
  readonly reconciliation: Reconciliation;
  /** Steps of the run that wrote the data, if it is known. */
  readonly steps?: readonly StepResult[];
  /** Sources that the broker has and the database has not stored. */
  readonly newer?: readonly Source[];
  /** Site to which the database is narrowed. */
  readonly site?: string | undefined;
  /** Place of the data that the commands name. */
  readonly place: Place;
}

/** Builds the report of a workspace or a stack. @throws UserError if dm has no session */
export async function buildReport(db: Database, input: ReportInput): Promise<string> {
  const { reconciliation, steps = [], newer, site, place } = input;
  const sources = await readEverySource(db, reconciliation.epoch, newer);
  const source = sources.length === 1 ? sources[0] : undefined;
  const subject = { sources, model: modelOf(source), site };
  // The model and the truth of a scenario give its answer away.
  const known = subject.model?.config.scenario ? undefined : source;
  const model = modelOf(known);
  const interval = await intervalOf(db, source?.manifest);
  const analytics = await readAnalytics(db, model, interval);
  const trace = await followClick(db, await interestingClick(db));
  const summary = await ask<SummaryLine>(db, "data_quality");
  return renderPage({
    title: `Event pipeline: ${nameOf(subject)}`,
    header: headline(subject, analytics, reconciliation),
    sections: [
      waveSection(analytics, model),
      visitorsSection(analytics, await readAudience(db)),
      ...(known?.manifest?.truth ? [truthSection(await readComparisons(db))] : []),
      qualitySection(reconciliation.defects, summary),
      layersSection(reconciliation, steps),
      clickSection(trace),
      nextSection(trace.clickId, place, subject.model && source?.manifest?.checksum),
    ],
  });
}

async function readAudience(db: Database): Promise<Audience> {
  type Line = Share & { readonly dimension: keyof Audience };
  const shares = Map.groupBy(await ask<Line>(db, "shares"), ({ dimension }) => dimension);
  const of = (dimension: keyof Audience): readonly Share[] => shares.get(dimension) ?? [];
  return {
    channels: of("channels"),
    devices: of("devices"),
    browsers: of("browsers"),
    countries: of("countries"),
  };
}

const ask = <T>(db: Database, name: string): Promise<T[]> =>
  db.rows<T>(readQuery(`report/${name}.sql`));
