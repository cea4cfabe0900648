import { beforeAll } from "vitest";
import { KINDS, objectsNamed, removeObjects } from "../../stack/lifecycle/owned-resources.ts";
import { LEVEL_STACKS } from "./level-stacks.ts";

// Removes what a killed run or a failed file has left, so that its names and ports are free.
beforeAll(async () => {
  for (const stack of Object.values(LEVEL_STACKS)) {
    await removeObjects(await objectsNamed(stack, KINDS));
  }
});
