import { existsSync, rmSync } from "node:fs";
import { UserError } from "../../../contract/errors.ts";
import { stackFolder } from "../state.ts";
import { docker, type OwnedKind, owned } from "./docker.ts";
import { configFile, pulumi } from "./pulumi.ts";
import { recover, releaseLock } from "./recover.ts";

const VOLUMES = "**docker:index/volume:Volume::**";

/** Stops and removes containers and networks. Volumes stay, and with them the data. */
export async function down(stack: string): Promise<void> {
  if (existsSync(configFile(stack))) {
    await recover(stack);
    await destroy(stack, ["--exclude", VOLUMES]);
  }
  await removeLeftovers(stack, ["container", "network"]);
}

/** Removes everything of the stack, data and secrets included. */
export async function clean(stack: string): Promise<void> {
  if (existsSync(configFile(stack))) {
    await releaseLock(stack);
    await destroy(stack, []);
    const { code } = await pulumi(stack, ["stack", "rm", stack, "--yes", "--force"], "capture");
    if (code !== 0)
      throw new UserError(`The stack ${stack} could not be removed from its backend.`);
  }
  await removeLeftovers(stack, ["container", "network", "volume", "image"]);
  rmSync(stackFolder(stack), { recursive: true, force: true });
}

async function destroy(stack: string, extra: readonly string[]): Promise<void> {
  const run = ["destroy", "--stack", stack, "--config-file", configFile(stack)];
  const { code } = await pulumi(stack, [...run, "--yes", "--skip-preview", ...extra], "show");
  if (code !== 0) {
    throw new UserError(
      "Not everything was removed: Pulumi's messages above say what failed.",
      "the same command once more; it goes on where this one ended",
    );
  }
}

const REMOVE: Readonly<Record<OwnedKind, readonly string[]>> = {
  container: ["rm", "--force", "--volumes"],
  network: ["network", "rm"],
  volume: ["volume", "rm"],
  image: ["image", "rm", "--force"],
};

/** What Pulumi no longer knows of: found by label, containers first because they hold the rest. */
async function removeLeftovers(stack: string, kinds: readonly OwnedKind[]): Promise<void> {
  for (const kind of kinds) {
    const ids = new Set((await owned(kind, stack)).map(({ id }) => id));
    if (ids.size > 0) await docker(...REMOVE[kind], ...ids);
  }
}
