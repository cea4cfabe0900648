import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../../contract/errors.ts";
import { PROJECT } from "../names.ts";
import { readOwner, stackFolder } from "../state.ts";
import { docker, type OwnedKind, owned } from "./docker.ts";
import { releaseLock } from "./lock.ts";
import { backendFolder, configFile, isRecorded, projectFolder, pulumi } from "./pulumi.ts";
import { recover } from "./recover.ts";

const VOLUMES = "**docker:index/volume:Volume::**";

/** Stops and removes containers and networks. Volumes stay, and with them the data. */
export async function down(stack: string): Promise<void> {
  if (existsSync(configFile(stack))) {
    await recover(stack);
    await destroy(stack, ["--exclude", VOLUMES]);
  }
  await requireOwn(stack, ["container", "network"], "make down there");
  await removeLeftovers(stack, ["container", "network"]);
}

/**
 * Removes everything of the stack, data and secrets included. Cut off anywhere, the next call goes on.
 * @param isForeign whether what another checkout made goes as well
 */
export async function clean(stack: string, isForeign = false): Promise<void> {
  if (!isForeign) {
    await requireOwn(
      stack,
      ["container", "network", "volume"],
      `make clean there; if that checkout is gone: make clean STACK=${stack} FOREIGN=1`,
    );
  }
  if (existsSync(configFile(stack)) && (await isRecorded(stack))) {
    // What a start that was cut off has made and nobody recorded would hold the volumes.
    await (isForeign ? releaseLock(stack) : recover(stack));
    await destroy(stack, []);
  }
  await removeLeftovers(stack, ["container", "network", "volume", "image"]);
  if (existsSync(configFile(stack)) && (await isRecorded(stack))) await forget(stack);
  rmSync(stackFolder(stack), { recursive: true, force: true });
}

/** In the stack's own folder: beside a tracked configuration Pulumi would delete that as well. */
async function forget(stack: string): Promise<void> {
  const folder = ["--cwd", projectFolder(stack)];
  const remove = ["stack", "rm", stack, "--yes", "--force", "--preserve-config", ...folder];
  const { code, stderr } = await pulumi(stack, remove, "capture");
  if (code !== 0) {
    throw new UserError(
      `The stack ${stack} could not be removed from its backend: ${stderr.trim()}`,
      "the same command once more; it goes on where this one ended",
    );
  }
  for (const kind of ["backups", "history"]) {
    const kept = join(backendFolder(), ".pulumi", kind, PROJECT, stack);
    rmSync(kept, { recursive: true, force: true });
  }
}

/** @throws UserError where a stack of this name was made from another checkout */
async function requireOwn(stack: string, kinds: readonly OwnedKind[], cure: string): Promise<void> {
  for (const kind of kinds) {
    const foreign = (await owned(kind, stack)).find(({ owner }) => owner !== readOwner());
    if (!foreign) continue;
    throw new UserError(
      `${foreign.name} is of a stack named ${stack} that this checkout did not make. Nothing was removed.`,
      cure,
    );
  }
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
