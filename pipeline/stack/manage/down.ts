import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../../contract/errors.ts";
import { PROJECT } from "../names.ts";
import { readOwner, stackFolder } from "../state.ts";
import { docker, type Owned, type OwnedKind, owned } from "./docker.ts";
import { releaseLock } from "./lock.ts";
import { backendFolder, configFile, isRecorded, projectFolder, pulumi } from "./pulumi.ts";
import { type Deployment, readRecorded } from "./recorded.ts";
import { recover } from "./recover.ts";
import { endRun } from "./under-way.ts";
import { makerOf, PARTS, type Part, unrecorded } from "./unrecorded.ts";

/** What a stopped stack keeps: its data, and the generated secrets that the data are used with. */
const KEPT = ["**docker:index/volume:Volume::**", "**random:index/**"];

/** Of a stack that is not on record here: what runs under our mark may be in a backend of the user's own. */
const NOTHING: Deployment = {};

/** What `down` removes: whose the data are that stay is all the same to it. */
const RUNNING = ["container", "network"] as const;

/** Stops and removes containers and networks. Data and secrets stay. */
export async function down(stack: string): Promise<void> {
  if (existsSync(configFile(stack))) {
    await recover(stack, RUNNING);
    await destroy(
      stack,
      KEPT.flatMap((pattern) => ["--exclude", pattern]),
    );
  } else {
    await unrecorded(stack, NOTHING, RUNNING);
  }
  const { foreign } = await partsOf(stack, RUNNING);
  if (foreign.length > 0) throw notOurs(stack, foreign, "make down there");
  await removeLeftovers(stack, RUNNING);
  endRun(stack);
}

/**
 * Removes everything of the stack, data and secrets included. Cut off anywhere, the next call goes on.
 * @param isForeign whether what another checkout made goes as well
 */
export async function clean(stack: string, isForeign = false): Promise<void> {
  if (!isForeign) {
    const { foreign, own } = await partsOf(stack, PARTS);
    if (foreign.length > 0) throw notOurs(stack, foreign, cleanCure(stack, foreign, own));
  }
  if (existsSync(configFile(stack)) && (await isRecorded(stack))) {
    refuseProtected(stack, await readRecorded(stack));
    // What a start that was cut off has made and nobody recorded would hold the volumes.
    await (isForeign ? releaseLock(stack) : recover(stack));
    await destroy(stack, []);
  } else if (!isForeign) {
    await unrecorded(stack, NOTHING, PARTS);
  }
  await removeLeftovers(stack, ["container", "network", "volume", "image"]);
  if (existsSync(configFile(stack)) && (await isRecorded(stack))) await forget(stack);
  rmSync(stackFolder(stack), { recursive: true, force: true });
}

/** @throws UserError before anything is removed, where Pulumi would refuse the volumes at the end */
function refuseProtected(stack: string, { resources = [] }: Deployment): void {
  if (!resources.some(({ protect }) => protect)) return;
  throw new UserError(
    `The data of the stack ${stack} are protected. Nothing was removed.`,
    `set protectData to false in its configuration, then make up STACK=${stack}, then the same command`,
  );
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

interface Found extends Owned {
  readonly kind: Part;
}

/** What the engine holds of the stack, by whose mark it carries. */
async function partsOf(
  stack: string,
  kinds: readonly Part[],
): Promise<{ readonly foreign: readonly Found[]; readonly own: readonly Found[] }> {
  const found: Found[] = [];
  for (const kind of kinds) {
    found.push(...(await owned(kind, stack)).map((part) => ({ ...part, kind })));
  }
  const isOwn = ({ owner }: Owned): boolean => owner === readOwner();
  return { foreign: found.filter((part) => !isOwn(part)), own: found.filter(isOwn) };
}

const notOurs = (stack: string, [first]: readonly Found[], cure: string): UserError =>
  new UserError(
    `${first?.name} is of a stack named ${stack} that this checkout did not make (${makerOf(first?.owner ?? "")} did). Nothing was removed.`,
    cure,
  );

/**
 * Where parts of the stack were made by two checkouts, each refuses to remove the other's: who keeps
 * no data stops first, and the other one can go on.
 */
function cleanCure(stack: string, foreign: readonly Found[], own: readonly Found[]): string {
  const force = `make clean STACK=${stack} FOREIGN=1`;
  const hasData = (parts: readonly Found[]): boolean => parts.some(({ kind }) => kind === "volume");
  const gone = `if that checkout is gone: ${force}`;
  if (own.length === 0) return `make clean there; ${gone}`;
  if (!hasData(foreign)) return `make down STACK=${stack} there, then the same command; ${gone}`;
  if (!hasData(own)) return `make down STACK=${stack} here, then make clean there; ${gone}`;
  return `both have data in it; ${force} removes those of both`;
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
