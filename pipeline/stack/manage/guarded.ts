import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readOverrides } from "../../../components/generator/overrides.ts";
import { irreplaceableVolumesOf, planStack } from "../../../components/services.ts";
import { contentDigest } from "../content-digest.ts";
import { refuseLoss } from "../guard.ts";
import { isIrreplaceable, physicalName } from "../preview.ts";
import { stackFolder, writePrivate } from "../state.ts";
import { localContext } from "./plan.ts";
import { previewOf } from "./preview-of.ts";
import type { Recorded } from "./recorded.ts";

/** What decides which volumes there are, and how each is declared. */
const PROGRAM = ["index.ts", "components", "pipeline/stack", "package-lock.json"] as const;

/**
 * Refuses a change that would delete irreplaceable data. Pulumi's preview is asked only where the answer is open:
 * a program that was accepted before declares its volumes as it did, so that only one that the
 * configuration no longer wants can be lost.
 * @throws UserError naming what would be lost, or what is wrong with the configuration
 */
export async function guard(stack: string, recorded: readonly Recorded[]): Promise<void> {
  const plan = planStack({ ...localContext(stack), overrides: readOverrides(process.env) });
  const wanted = new Set(irreplaceableVolumesOf(plan));
  const stored = recorded.map(asStep).filter(isIrreplaceable).map(physicalName);
  const isOpen = !isAccepted(stack) || stored.some((volume) => !wanted.has(volume));
  if (stored.length > 0 && isOpen) refuseLoss(await previewOf(stack), stack);
}

const asStep = ({ urn, inputs }: Recorded) => ({
  op: "same",
  urn,
  oldState: inputs === undefined ? {} : { inputs },
});

const acceptedFile = (stack: string): string => join(stackFolder(stack), "accepted-program");

function isAccepted(stack: string): boolean {
  const file = acceptedFile(stack);
  return existsSync(file) && readFileSync(file, "utf8") === contentDigest(...PROGRAM);
}

/** Whether this stack has been up: it has data of its own then, or had. */
export const wasUp = (stack: string): boolean => existsSync(acceptedFile(stack));

/** Remembers that this program has been brought up. */
export const accept = (stack: string): void =>
  writePrivate(acceptedFile(stack), contentDigest(...PROGRAM));
