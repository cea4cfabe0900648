import { existsSync } from "node:fs";
import { imagesOf } from "../../components/services.ts";
import { isOffline } from "../../components/shared/image-lock.ts";
import { docker } from "../../terminal/docker.ts";
import { type DoctorContext, type Finding, fail, ok, warn } from "./check.ts";
import { diskAt } from "./machine.ts";
import { memoryFinding } from "./memory.ts";

const MIN_VERSION = 20;
const MIB = 1024 ** 2;
const MAX_SKEW_SECONDS = 2;

export async function engineFindings({ stack, plan }: DoctorContext): Promise<Finding[]> {
  const asked = Date.now();
  const info = JSON.parse(await docker("info", "--format", "{{json .}}")) as EngineInfo;
  return [
    Number.parseInt(info.ServerVersion, 10) >= MIN_VERSION
      ? ok("docker", `engine ${info.ServerVersion}`)
      : fail("docker", `engine ${info.ServerVersion} is older than 20.10`, "update Docker"),
    memoryFinding(stack, plan, Math.floor(info.MemTotal / MIB)),
    clock(Date.parse(info.SystemTime), asked, Date.now()),
    // The disk of an engine in a virtual machine or on another host is not visible.
    ...(existsSync(info.DockerRootDir) ? [diskAt(info.DockerRootDir, "images and data")] : []),
  ];
}

interface EngineInfo {
  readonly ServerVersion: string;
  /** Memory, bytes. */
  readonly MemTotal: number;
  readonly SystemTime: string;
  readonly DockerRootDir: string;
}

/** Checks the engine's clock, because a skew falsifies retention, lag and freshness. */
export function clock(engine: number, asked: number, answered: number): Finding {
  const skew = Math.max(asked - engine, engine - answered, 0) / 1000;
  return skew <= MAX_SKEW_SECONDS
    ? ok("clock", "containers and this machine agree")
    : warn(
        "clock",
        `containers are off by ${Math.round(skew)} s`,
        "restart Docker, or synchronise this machine's clock",
      );
}

export function imageFindings({ plan }: DoctorContext): Finding[] {
  const used = new Set(imagesOf(plan));
  return [offlineFinding([...used].filter(isOffline))];
}

export const offlineFinding = (images: readonly string[]): Finding =>
  images.length === 0
    ? ok("images", "none is an offline image")
    : warn(
        "images",
        `built from package registries, not the official ones: ${images.join(", ")}`,
        "with access to a container registry, run make clean (deletes all data), then make up without CONFIG=offline",
      );
