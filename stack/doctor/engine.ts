import { existsSync, statfsSync } from "node:fs";
import { memoryOf, type StackConfig } from "../../components/config.ts";
import { runDocker } from "../../terminal/docker.ts";
import { formatCount } from "../../terminal/format.ts";
import { settingHint } from "../lifecycle/stack-file.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

const MIN_VERSION = 20;
const MIN_DISK_GIB = 10;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const MAX_SKEW_SECONDS = 2;

export interface EngineInfo {
  readonly ServerVersion: string;
  /** Memory, bytes. */
  readonly MemTotal: number;
  readonly SystemTime: string;
  readonly DockerRootDir: string;
  /** Times of this machine before the request and after the answer. */
  readonly asked: number;
  readonly answered: number;
}

/** @throws UserError if the engine does not answer */
export const requireEngine = async (): Promise<void> => {
  await runDocker("version", "--format", "{{.Server.Version}}");
};

/** Asks the engine. @throws UserError if it does not answer */
export async function readEngine(): Promise<EngineInfo> {
  const asked = Date.now();
  const info = JSON.parse(await runDocker("info", "--format", "{{json .}}"));
  return { ...info, asked, answered: Date.now() };
}

export const engineFindings = (engine: EngineInfo): Finding[] => [
  Number.parseInt(engine.ServerVersion, 10) >= MIN_VERSION
    ? ok("docker", `engine ${engine.ServerVersion}`)
    : fail("docker", `engine ${engine.ServerVersion} is older than 20.10`, "update Docker"),
  clockFinding(engine),
  // The disk of an engine in a virtual machine or on another host is not visible.
  ...(existsSync(engine.DockerRootDir) ? [diskFinding(engine.DockerRootDir)] : []),
];

/** Checks the engine's clock, because a skew falsifies retention, lag and freshness. */
function clockFinding({ SystemTime, asked, answered }: EngineInfo): Finding {
  const engine = Date.parse(SystemTime);
  const skew = Math.max(asked - engine, engine - answered, 0) / 1000;
  return skew <= MAX_SKEW_SECONDS
    ? ok("clock", "containers and this machine agree")
    : warn(
        "clock",
        `containers are off by ${Math.round(skew)} s`,
        "restart Docker, or synchronise this machine's clock",
      );
}

function diskFinding(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = (bavail * bsize) / GIB;
  const detail = `${formatCount(Math.floor(free))} GiB free for images and data`;
  return free >= MIN_DISK_GIB
    ? ok("disk", detail)
    : warn(
        "disk",
        `${detail}, which need about ${MIN_DISK_GIB}`,
        "run docker image prune and docker builder prune, or use another disk",
      );
}

/** Checks memory. Limits above the total only warn, because services use a fraction of them. */
export function memoryFinding(
  stack: string,
  config: StackConfig,
  { MemTotal }: EngineInfo,
): Finding {
  const limits = memoryOf(config);
  const total = Math.floor(MemTotal / MIB);
  const detail = `limits add up to ${formatCount(limits)} MiB, the engine has ${formatCount(total)} MiB`;
  const change = settingHint(stack, "clickhouse.memoryMiB", "less");
  return limits <= total
    ? ok("memory", detail)
    : warn("memory", detail, `give Docker more memory, or ${change}`);
}
