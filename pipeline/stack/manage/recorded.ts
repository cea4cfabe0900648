import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { checkpointFile, pulumiText } from "./pulumi.ts";

const recordedSchema = z.looseObject({
  urn: z.string(),
  id: z.string().optional(),
  protect: z.boolean().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
});

/** A resource as Pulumi has recorded it. */
export type Recorded = z.infer<typeof recordedSchema>;

const deploymentSchema = z.looseObject({
  resources: z.array(recordedSchema).optional(),
  pending_operations: z.array(z.unknown()).optional(),
});

/** All that is recorded of a stack. */
export type Deployment = z.infer<typeof deploymentSchema>;

const exportSchema = z.looseObject({ deployment: deploymentSchema });
/** Of the one version that is known: another may keep what is recorded elsewhere. */
const checkpointSchema = z.looseObject({
  version: z.literal(3),
  checkpoint: z.looseObject({ latest: deploymentSchema.nullish() }),
});

/** What is recorded of a stack; of our own backend its file is read, which takes no process. */
export async function readRecorded(stack: string): Promise<Deployment> {
  return readCheckpoint(stack) ?? (await exportState(stack)).deployment;
}

/** Nothing where the state lies elsewhere, or in a form of another Pulumi: then it is asked itself. */
function readCheckpoint(stack: string): Deployment | undefined {
  const file = checkpointFile(stack);
  if (process.env.PULUMI_BACKEND_URL !== undefined || !existsSync(file)) return undefined;
  try {
    const { checkpoint } = checkpointSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    return checkpoint.latest ?? {};
  } catch {
    return undefined;
  }
}

/** The same in the form that Pulumi takes back. */
export const exportState = async (stack: string): Promise<z.infer<typeof exportSchema>> =>
  exportSchema.parse(JSON.parse(await pulumiText(stack, "stack", "export", "--stack", stack)));
