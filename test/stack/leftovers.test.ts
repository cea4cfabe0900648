import { expect, test } from "vitest";
import { offlineImages } from "../../images/offline/names.ts";
import { LEVEL_STACKS } from "./level-stacks.ts";
import { belongings, docker } from "./operator.ts";
import { removeLeftovers } from "./single-run.ts";

test("a run removes the containers, volumes and networks that a killed one left", async () => {
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
