import { existsSync } from "node:fs";
import { imagesOf, memoryOf } from "../../components/config.ts";
import { isOffline } from "../../components/shared/image-lock.ts";
import { docker } from "../../terminal/docker.ts";
import { formatCount } from "../../terminal/format.ts";
import { settingHint } from "../make-hints.ts";
import { type DoctorContext, type Finding, fail, ok, warn } from "./check.ts";
import { diskAt } from "./machine.ts";

const MIN_VERSION = 20;
const MIB = 1024 ** 2;
const MAX_SKEW_SECONDS = 2;

export async function engineFindings({ stack, config }: DoctorContext): Promise<Finding[]> {
  const asked = Date.now();
  const info = JSON.parse(await docker("info", "--format", "{{json .}}")) as EngineInfo;
  return [
    Number.parseInt(info.ServerVersion, 10) >= MIN_VERSION
      ? ok("docker", `engine ${info.ServerVersion}`)
      : fail("docker", `engine ${info.ServerVersion} is older than 20.10`, "update Docker"),
    memory(stack, memoryOf(config), Math.floor(info.MemTotal / MIB)),
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

/** Checks memory, MiB. Limits above the total only warn, because services use a fraction of them. */
export function memory(stack: string, limits: number, total: number): Finding {
  const detail = `limits add up to ${formatCount(limits)} MiB, the engine has ${formatCount(total)} MiB`;
  const change = settingHint(stack, "clickhouse.memoryMiB", "less");
  return limits <= total
    ? ok("memory", detail)
    : warn("memory", detail, `give Docker more memory, or ${change}`);
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

export function imageFindings({ config }: DoctorContext): Finding[] {
  return [offlineFinding(imagesOf(config).filter(isOffline))];
}

export const offlineFinding = (images: readonly string[]): Finding =>
  images.length === 0
    ? ok("images", "none is an offline image")
    : warn(
        "images",
        `built from package registries, not the official ones: ${images.join(", ")}`,
        "with access to a container registry, run make clean (deletes all data), then make up without CONFIG=offline",
      );
