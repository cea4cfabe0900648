import { type OwnedOfStack, ownedOfAll } from "../manage/docker.ts";
import { readRecorded } from "../manage/recorded.ts";
import { wasCutOff } from "../manage/under-way.ts";
import { isPlain, makerOf, PARTS } from "../manage/unrecorded.ts";
import { readOwner, stackIds } from "../state.ts";
import { type Finding, ok, warn } from "./check.ts";

/** Containers, networks and volumes at the engine that are not, or not alone, of this checkout. */
export async function leftoverFindings(): Promise<Finding[]> {
  const parts: OwnedOfStack[] = [];
  for (const kind of PARTS) parts.push(...(await ownedOfAll(kind)));
  const known = new Set(stackIds());
  const findings: Finding[] = [];
  for (const stack of [...new Set(parts.map((part) => part.stack))].sort()) {
    const ofStack = parts.filter((part) => part.stack === stack);
    findings.push(
      ...(known.has(stack) ? await strangersIn(stack, ofStack) : [unknown(stack, ofStack)]),
    );
  }
  return findings.length > 0 ? findings : [ok("leftovers", "none")];
}

function unknown(stack: string, parts: readonly OwnedOfStack[]): Finding {
  if (parts.every(({ owner }) => owner === readOwner())) return unclaimed(stack);
  return warn(
    "leftovers",
    `of a stack ${stack} that is not of this checkout`,
    `make clean STACK=${stack} FOREIGN=1, if nobody uses it`,
  );
}

/** Made here, perhaps by plain pulumi, whose backend may record it as a living stack. */
const unclaimed = (stack: string): Finding =>
  warn(
    "leftovers",
    `of a stack ${stack} that this checkout made and does not record`,
    `pulumi destroy with the backend that records it; if there is none, make down STACK=${stack} says what to remove`,
  );

/** Of a stack that this checkout knows: what another one has made under the same name. */
async function strangersIn(stack: string, parts: readonly OwnedOfStack[]): Promise<Finding[]> {
  // What plain pulumi has made and our record holds is ours whatever its mark says.
  const foreign = parts.filter(({ owner }) => owner !== readOwner());
  const ids = await recordedIds(stack);
  const isUnclaimed = ({ id, kind, owner }: OwnedOfStack): boolean =>
    kind === "container" && owner === readOwner() && !ids.has(id);
  // Those of a start that was cut off are the next one's to remove.
  if (parts.some(isUnclaimed) && !wasCutOff(stack)) return [unclaimed(stack)];
  const shared = foreign.filter(({ id, owner }) => ids.has(id) && !isPlain(owner));
  const unrecorded = foreign.filter(({ id, kind }) => !ids.has(id) && kind !== "network");
  return [
    ...(unrecorded.length > 0 ? [sameName(stack, unrecorded)] : []),
    ...shared.map((part) => sharedWith(stack, part)),
  ];
}

async function recordedIds(stack: string): Promise<Set<string | undefined>> {
  // Where nothing can be read, nothing is known to be ours.
  const { resources = [] } = await readRecorded(stack).catch(() => ({ resources: [] }));
  return new Set(resources.map(({ id }) => id));
}

const sameName = (stack: string, parts: readonly OwnedOfStack[]): Finding =>
  warn(
    "leftovers",
    `of another stack named ${stack}: ${parts.map(({ kind, name }) => `${kind} ${name}`).join(", ")}, made by ${makerOf(parts[0]?.owner ?? "")}`,
    `make up STACK=${stack}-2; or make clean STACK=${stack} FOREIGN=1, if nobody needs its data`,
  );

const sharedWith = (stack: string, { kind, name, owner }: OwnedOfStack): Finding =>
  warn(
    "leftovers",
    `${kind} ${name} is used here and was made by ${makerOf(owner)}`,
    `make down STACK=${stack} here, then make up STACK=${stack}-2: that checkout keeps its data`,
  );
