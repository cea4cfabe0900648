import { hintToRun } from "../../database/command.ts";
import { readProgress } from "../../reconciliation/progress.ts";
import type { LayerLine } from "../../reconciliation/reconciliation.ts";
import { readQuery } from "../../sql.ts";
import type { FunnelStage } from "../analytics.ts";
import { ask, askOne, type CheckContext } from "./context.ts";
import { type CheckResult, count, verdict } from "./result.ts";

interface Found {
  readonly users: number;
  readonly sessions: number;
  readonly events: number;
}

export async function checkSanity(context: CheckContext): Promise<CheckResult[]> {
  return [await proportions(context), await funnel(context), await layers(context)];
}

async function proportions(context: CheckContext): Promise<CheckResult> {
  const { users, sessions, events } = await askOne<Found>(context, "typed_counts");
  const { manifest } = context;
  const holds =
    users < sessions &&
    sessions < events &&
    manifest.users < manifest.visits &&
    manifest.visits < manifest.counts.browser;
  const detail = `${count(users)} users, ${count(sessions)} sessions, ${count(events)} page events; manifest ${count(manifest.users)}, ${count(manifest.visits)}, ${count(manifest.counts.browser)}`;
  return verdict("users < sessions < events", holds, detail);
}

async function funnel(context: CheckContext): Promise<CheckResult> {
  const stages = await ask<FunnelStage>(context, "stages");
  const widening = stages
    .filter(({ sessions }, i) => i > 0 && sessions > (stages[i - 1]?.sessions ?? 0))
    .map(({ stage }) => stage);
  const isEmpty = stages.every(({ sessions }) => sessions === 0);
  const figures = stages.map(({ stage, sessions }) => `${stage} ${count(sessions)}`).join(" > ");
  const where = widening.length > 0 ? `; exceeds the previous stage: ${widening.join(", ")}` : "";
  const detail = isEmpty
    ? `dm holds no session with a page of the funnel: ${hintToRun(context.db, "transform")}`
    : figures + where;
  return verdict("funnel narrows", !isEmpty && widening.length === 0, detail);
}

async function layers({ db }: CheckContext): Promise<CheckResult> {
  const { dds_load } = await readProgress(db);
  const lines = await db.rows<LayerLine>(readQuery("checks/layer_sums.sql"), { dds_load });
  const broken = lines.filter((line) => line.expected !== line.found);
  const detail =
    broken.length === 0
      ? `${lines.length} sums from ods to dm`
      : broken.map((l) => `${l.identity}: ${count(l.expected)} and ${count(l.found)}`).join("; ");
  return verdict("layers agree", broken.length === 0, detail);
}
