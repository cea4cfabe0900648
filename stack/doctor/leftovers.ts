import { ownedOfAll } from "../lifecycle/owned-resources.ts";
import {
  type Deployment,
  PARTS,
  type Part,
  readDeployment,
  removalCommands,
  unrecordedParts,
} from "../lifecycle/recover.ts";
import { openStack, recordedStacks } from "../lifecycle/workspace.ts";
import { type DoctorContext, type Finding, ok, warn } from "./check.ts";

export async function leftoverFindings({ stack }: DoctorContext): Promise<Finding[]> {
  const owners = new Set<string>();
  for (const kind of PARTS) for (const part of await ownedOfAll(kind)) owners.add(part.stack);
  const recorded = new Set((await recordedStacks()).map(({ name }) => name));
  const findings = [...owners].filter((name) => !recorded.has(name)).map(unknown);
  if (recorded.has(stack)) findings.push(...(await unrecordedOf(stack)));
  return findings.length > 0 ? findings : [ok("leftovers", "none")];
}

const unknown = (name: string): Finding =>
  warn(
    "leftovers",
    `of a stack ${name} that Pulumi's backend here does not record`,
    `set PULUMI_BACKEND_URL to the backend that records it; if nobody uses it, run make clean STACK=${name} FOREIGN=1`,
  );

async function unrecordedOf(name: string): Promise<Finding[]> {
  const deployment = await readDeployment(await openStack(name));
  const parts = await unrecordedParts(name, deployment);
  if (parts.length === 0) return [];
  const listed = parts.map((part) => `${part.kind} ${part.name}`).join(", ");
  return [
    warn(
      "leftovers",
      `of ${name}, not recorded by Pulumi: ${listed}`,
      hint(name, deployment, parts),
    ),
  ];
}

function hint(
  name: string,
  { isInterrupted, resources }: Deployment,
  parts: readonly Part[],
): string {
  if (isInterrupted) return `run make up STACK=${name}, which removes them, except volumes`;
  const isRecorded = resources.length > 0;
  const commands = removalCommands(parts);
  if (isRecorded && commands) return `if nobody uses them, run ${commands}`;
  if (isRecorded) return "run docker volume rm with these names, if nobody needs their data";
  return `run make up STACK=${name}-2; or make clean STACK=${name} FOREIGN=1, if nobody needs their data`;
}
