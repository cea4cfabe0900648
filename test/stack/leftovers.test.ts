import { afterAll, expect, test } from "vitest";
import { offlineImages } from "../../images/offline/names.ts";
import { removeLeftovers } from "./leftovers.ts";
import { LEVEL_STACKS } from "./level-stacks.ts";
import { belongings, docker, forgetState } from "./operator.ts";

afterAll(forgetState);

test("each file of the level removes the containers, volumes and networks that an earlier one left", async () => {
  const stack = LEVEL_STACKS.leftover;
  const label = ["--label", `event-pipeline.stack=${stack}`];
  docker("volume", "create", ...label, `${stack}-data`);
  docker("network", "create", ...label, `${stack}-network`);
  const command = ["--entrypoint=sleep", offlineImages.node, "600"];
  docker("run", "--detach", ...label, `--network=${stack}-network`, ...command);
  expect(belongings(stack)).toHaveLength(3);
  await removeLeftovers();
  expect(belongings(stack)).toEqual([]);
});
