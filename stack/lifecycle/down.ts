import { SNAPSHOTS, snapshotsVolume } from "../../components/clickhouse/settings.ts";
import { stackNames } from "../../components/shared/names.ts";
import { UserError } from "../../contract/errors.ts";
import { confirm } from "../../terminal/confirm.ts";
import { dockerRows, runDocker } from "../../terminal/docker.ts";
import {
  foreignProtectedVolumes,
  KINDS,
  objectsNamed,
  ownedObjects,
  removeObjects,
} from "./owned-resources.ts";
import { type Deployment, recover } from "./recover.ts";
import { changeStack, isRecorded, openStack, removeStack, requireStack } from "./workspace.ts";

export async function down(name: string): Promise<void> {
  await requireStack(name);
  const stack = await openStack(name);
  await recover(stack);
  await changeStack(stack, ["destroy", ...RUNNING], FAILURE);
  console.error(`Stopped the stack ${name}. Its data are kept.`);
}

/** What runs, with what depends on it, and without volumes, secrets and images. */
const RUNNING = [
  ...["--target", "**docker:index/container:Container::**"],
  ...["--target", "**docker:index/network:Network::**", "--target-dependents"],
];

const FAILURE = {
  message: "Not everything was removed",
  hint: "correct what Pulumi reports, then retry",
};

type Ask = (question: string) => Promise<boolean>;

/** Asks, unless YES=1. @param ask undefined without a terminal @throws UserError without consent */
export async function confirmDeletion(
  stack: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  ask: Ask | undefined = process.stdin.isTTY ? confirm : undefined,
): Promise<void> {
  if (env.YES !== "1" && !ask) {
    throw new UserError(
      `The deletion of the stack ${stack} must be confirmed, and there is no terminal to ask on`,
      `run make clean STACK=${stack} YES=1`,
    );
  }
  if (env.YES !== "1" && !(await ask?.(`Delete the stack ${stack} with its data and secrets?`))) {
    throw new UserError("Nothing was deleted", "run make down to stop the stack and keep its data");
  }
  console.error(`Removing the stack ${stack} with its data and secrets.`);
}

/** What may be deleted beyond the unprotected objects of this state. */
export interface Consent {
  /** True for the objects of other states with the stack's name, too. */
  readonly foreign?: boolean;
  /** True for data that `protectData` protects, too. */
  readonly protected?: boolean;
}

/** Refuses a mistyped name. The objects of a lost backend are deletable, too. @throws UserError */
export async function requireDeletable(name: string, { foreign = false }: Consent): Promise<void> {
  if (!foreign) await requireStack(name);
}

/** Deletes the stack and its data; a rerun completes it. @throws UserError without the consent */
export async function clean(name: string, consent: Consent = {}): Promise<void> {
  const stack = (await isRecorded(name)) ? await openStack(name) : undefined;
  const deployment = stack && (await recover(stack));
  if (!consent.protected) await requireUnprotected(name, consent, deployment);
  const volume = await snapshotVolume(name);
  if (stack) await changeStack(stack, ["destroy", "--ignore-protect"], FAILURE);
  // Also what a killed run has not recorded.
  const found = consent.foreign
    ? objectsNamed(name, KINDS)
    : ownedObjects(deployment?.identity, KINDS);
  await removeObjects(await found);
  if (stack) await removeStack(name);
  console.error(`Removed the stack ${name} with its data.`);
  await keepSnapshots(name, volume);
}

interface SnapshotVolume {
  readonly name: string;
  /** Names of its folders; undefined if ClickHouse is not running. */
  readonly snapshots?: readonly string[] | undefined;
}

/** Returns the volume that ClickHouse's container mounts; without a container, that of the stack. */
async function snapshotVolume(name: string): Promise<SnapshotVolume> {
  const names = stackNames(name);
  const container = names.container("clickhouse");
  const mounted = await unlessRefused(runDocker("inspect", "--format", MOUNTED, container));
  if (!mounted) return { name: snapshotsVolume(names) };
  const list = await unlessRefused(runDocker("exec", container, "ls", "-1", SNAPSHOTS));
  return { name: mounted, snapshots: list?.split("\n").filter((line) => line !== "") };
}

const MOUNTED = `{{range .Mounts}}{{if eq .Destination "${SNAPSHOTS}"}}{{.Name}}{{end}}{{end}}`;

const unlessRefused = (answer: Promise<string>): Promise<string | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof UserError) return undefined;
    throw error;
  });

/** Names the snapshots that stay, in a volume that no state owns; deletes the stack's own if it is empty. */
async function keepSnapshots(
  stack: string,
  { name: volume, snapshots }: SnapshotVolume,
): Promise<void> {
  const [found] = await dockerRows("volume", "ls", "--quiet", "--filter", `name=^${volume}$`);
  if (!found) return;
  if (snapshots?.length !== 0) {
    console.error(
      `Kept the snapshots ${snapshots ? `${snapshots.join(", ")} ` : ""}in the volume ${volume}; a new stack ${stack} can restore them. docker volume rm ${volume} deletes them.`,
    );
  } else if (volume === snapshotsVolume(stackNames(stack))) {
    await runDocker("volume", "rm", volume);
  }
}

async function requireUnprotected(
  name: string,
  { foreign = false }: Consent,
  deployment: Deployment | undefined,
): Promise<void> {
  // A refused first run has recorded protected keys, but no volume, so that they decrypt nothing.
  const isProtected = deployment?.resources.some(
    ({ urn, protect }) => protect && urn.includes("docker:index/volume:Volume::"),
  );
  const others = foreign ? await foreignProtectedVolumes(name, deployment?.identity) : [];
  if (!isProtected && others.length === 0) return;
  throw new UserError(
    `The data of the stack ${name} are protected${others.length > 0 ? ` (${others.join(", ")})` : ""}. Nothing was removed`,
    `run make clean STACK=${name}${foreign ? " FOREIGN=1" : ""} PROTECTED=1 to delete them, too`,
  );
}
