import type { Database } from "../../contract/ports.ts";
import { readQuery } from "../sql.ts";
import type { Progress } from "./progress.ts";
import type { LayerLine, WaitingLine } from "./reconciliation.ts";

type FoundSum = Omit<LayerLine, "isCompared"> & { readonly step: string };

/** Compares the sums of the layers; skips a layer that a step has changed without a commit. */
export async function compareLayers(
  db: Database,
  waiting: readonly WaitingLine[],
  progress: Progress,
): Promise<LayerLine[]> {
  const { dds_load } = progress;
  const sums = await db.rows<FoundSum>(readQuery("checks/layer_sums.sql"), { dds_load });
  const interrupted = progress.dm_steps.filter(({ is_interrupted }) => is_interrupted);
  const unfinished = [
    ...interrupted.map(({ step }) => step),
    ...waiting.filter(({ layer }) => layer === "dm").map(({ step }) => step),
  ];
  const isCompared = ({ layer, step }: FoundSum): boolean => {
    if (layer === "stg" || layer === "ods") return true;
    if (progress.is_dds_interrupted) return false;
    return layer === "dds" || !isChanged(step, unfinished);
  };
  return sums.map((line) => {
    const { step, ...rest } = line;
    return { ...rest, isCompared: isCompared(line) };
  });
}

/** True if an unfinished step changes a sum: visitors sum up sessions, the summary counts all dm tables. */
const isChanged = (step: string, unfinished: readonly string[]): boolean =>
  unfinished.includes(step) ||
  (step === "load_dm_visitors" && unfinished.includes("load_dm_sessions")) ||
  (step === "load_dm_summary" && unfinished.length > 0);
