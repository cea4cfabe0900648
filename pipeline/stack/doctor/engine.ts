import { existsSync } from "node:fs";
import { docker } from "../manage/docker.ts";
import { RECIPE_LABEL } from "../names.ts";
import { containersOf } from "../plan/stack.ts";
import { type Finding, fail, ok, type Patient, warn } from "./check.ts";
import { diskAt } from "./machine.ts";
import { memoryFinding } from "./memory.ts";

const LEAST_VERSION = 20;
const MIB = 1024 ** 2;
const MOST_SKEW_SECONDS = 2;

/** The container engine itself: does it answer, is it new enough, has it room for the stack. */
export async function engineFindings({ plan }: Patient): Promise<Finding[]> {
  const asked = Date.now();
  const info = JSON.parse(await docker("info", "--format", "{{json .}}")) as EngineInfo;
  return [
    Number.parseInt(info.ServerVersion, 10) >= LEAST_VERSION
      ? ok("docker", `engine ${info.ServerVersion}`)
      : fail("docker", `engine ${info.ServerVersion} is older than 20.10`, "update Docker"),
    memoryFinding(plan, Math.floor(info.MemTotal / MIB)),
    clock(Date.parse(info.SystemTime), asked, Date.now()),
    // An engine in a virtual machine, or elsewhere, has a disk of its own that cannot be seen.
    ...(existsSync(info.DockerRootDir) ? [diskAt(info.DockerRootDir, "images and data")] : []),
  ];
}

/** The part of the engine's own account that is read here. */
interface EngineInfo {
  readonly ServerVersion: string;
  /** Bytes. */
  readonly MemTotal: number;
  readonly SystemTime: string;
  readonly DockerRootDir: string;
}

/**
 * Containers have the engine's clock, and retention, lag and freshness compare it with this
 * machine's: all of them are off by as much, and nothing fails. It was read at some moment between
 * question and answer.
 */
export function clock(engine: number, asked: number, answered: number): Finding {
  const skew = Math.max(asked - engine, engine - answered, 0) / 1000;
  return skew <= MOST_SKEW_SECONDS
    ? ok("clock", "containers and this machine agree")
    : warn(
        "clock",
        `containers are off by ${Math.round(skew)} s`,
        "restart Docker; synchronise this machine's clock",
      );
}

/** Images that are not what their name says: built here, where no container registry is reached. */
export async function imageFindings({ plan }: Patient): Promise<Finding[]> {
  const format = "{{.Repository}}:{{.Tag}}";
  const filter = `label=${RECIPE_LABEL}`;
  const text = await docker("image", "ls", "--filter", filter, "--format", format);
  const bases = [plan.generator, plan.bi, plan.scheduler].map((part) => part?.baseImage);
  const wanted = new Set([...containersOf(plan).map(({ image }) => image), ...bases]);
  return [builtHere(text.split("\n").filter((image) => wanted.has(image)))];
}

export const builtHere = (images: readonly string[]): Finding =>
  images.length === 0
    ? ok("images", "none stands in for an official one")
    : warn(
        "images",
        `built by make offline-images, not the official ones: ${images.join(", ")}`,
        `where a container registry is reached: make clean (its data go with it: theirs are of other versions), docker rmi ${images.join(" ")}, make up`,
      );
