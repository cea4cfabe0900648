import { beforeAll } from "vitest";
import { KINDS, owned, removeObjects } from "../../stack/lifecycle/owned-resources.ts";
import { LEVEL_STACKS } from "./level-stacks.ts";

/** Removes what a killed run or a failed file has left, so that its names and ports are free. */
export async function removeLeftovers(): Promise<void> {
  for (const stack of Object.values(LEVEL_STACKS)) await removeObjects(await owned(stack, KINDS));
}

beforeAll(removeLeftovers);
