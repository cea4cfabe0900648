import type { LayerLine } from "../../ledger/ledger.ts";
import { readProgress } from "../../ledger/progress.ts";
import { readQuery } from "../../sql.ts";
import { askOne, type CheckContext } from "./context.ts";
import { type CheckResult, count, verdict } from "./result.ts";

interface Found {
  readonly users: number;
  readonly visits: number;
  readonly events: number;
}

export async function checkSanity(context: CheckContext): Promise<CheckResult[]> {
  return [await proportions(context), await funnel(context), await layers(context)];
}

async function proportions(context: CheckContext): Promise<CheckResult> {
  const { users, visits, events } = await askOne<Found>(context, "found");
  const { manifest } = context;
  const holds =
    users < visits &&
    visits < events &&
    manifest.users < manifest.visits &&
    manifest.visits < manifest.counts.browser;
  const detail = `${count(users)} users, ${count(visits)} sessions, ${count(events)} page events; manifest ${count(manifest.users)}, ${count(manifest.visits)}, ${count(manifest.counts.browser)}`;
  return verdict("users < sessions < events", holds, detail);
}

async function funnel(context: CheckContext): Promise<CheckResult> {
  const stages = Object.entries(await askOne<Record<string, number>>(context, "stages"));
  const widening = stages
    .filter(([, visits], i) => i > 0 && visits > (stages[i - 1]?.[1] ?? 0))
    .map(([stage]) => stage);
  const isEmpty = stages.every(([, visits]) => visits === 0);
  const figures = stages.map(([stage, visits]) => `${stage} ${count(visits)}`).join(" > ");
  const where = widening.length > 0 ? `; wider than the stage before: ${widening.join(", ")}` : "";
  const detail = isEmpty
    ? "dds holds no event with a page of the funnel: pipeline transform"
    : figures + where;
  return verdict("funnel narrows", !isEmpty && widening.length === 0, detail);
}

async function layers({ db }: CheckContext): Promise<CheckResult> {
  const { dds_load } = await readProgress(db);
  const lines = await db.rows<LayerLine>(readQuery("checks/layers.sql"), { dds_load });
  const broken = lines.filter((line) => line.expected !== line.found);
  const detail =
    broken.length === 0
      ? `${lines.length} sums from ods to dm`
      : broken.map((l) => `${l.identity}: ${count(l.expected)} and ${count(l.found)}`).join("; ");
  return verdict("layers agree", broken.length === 0, detail);
}
