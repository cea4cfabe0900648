import { existsSync } from "node:fs";
import { containersOf } from "../../components/services.ts";
import { OFFLINE_IMAGES } from "../../components/shared/image-lock.ts";
import { docker } from "../../terminal/docker.ts";
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

/** Which images of the plan `make offline-images` built in place of the official ones. */
export function imageFindings({ plan }: Patient): Finding[] {
  const bases = [plan.generator, plan.bi, plan.scheduler].flatMap((part) => part?.baseImage ?? []);
  const used = new Set([...containersOf(plan).map(({ image }) => image), ...bases]);
  return [offlineFinding([...used].filter((image) => image.startsWith(OFFLINE_IMAGES)))];
}

export const offlineFinding = (images: readonly string[]): Finding =>
  images.length === 0
    ? ok("images", "none is an offline image")
    : warn(
        "images",
        `built from package registries, not the official ones: ${images.join(", ")}`,
        "with access to a container registry: make clean (deletes the data, which other versions wrote), then make up without CONFIG=offline",
      );
