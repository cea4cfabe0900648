import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../components/shared/state.ts";
import { formatCount } from "../../terminal/format.ts";
import { type Finding, fail, ok, warn } from "./check.ts";
import { nodeFinding } from "./tools.ts";

const MIN_DISK_GIB = 10;
const GIB = 1024 ** 3;

export const machineFindings = (): Finding[] => [
  nodeFinding(),
  processor(),
  diskAt(ROOT, "the working copy"),
  ownership(),
];

/** CPU features without which official ClickHouse builds crash. */
export function processor(flags = processorFlags()): Finding {
  if (flags === undefined) return ok("processor", process.arch);
  const missing = ["sse4_2", "pclmulqdq", "popcnt", "ssse3"].filter((one) => !flags.has(one));
  return missing.length === 0
    ? ok("processor", "has the instructions that ClickHouse needs")
    : fail(
        "processor",
        `lacks ${missing.join(", ")}`,
        "use a machine with SSE 4.2, or clickhouse.mode=external",
      );
}

function processorFlags(): Set<string> | undefined {
  if (process.arch !== "x64" || !existsSync("/proc/cpuinfo")) return undefined;
  const line = /^flags\s*:\s*(.*)$/m.exec(readFileSync("/proc/cpuinfo", "utf8"));
  return line?.[1] === undefined ? undefined : new Set(line[1].split(" "));
}

export function diskAt(folder: string, what: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = (bavail * bsize) / GIB;
  const detail = `${formatCount(Math.floor(free))} GiB free for ${what}`;
  return free >= MIN_DISK_GIB
    ? ok("disk", detail)
    : warn(
        "disk",
        `${detail}; images and data need about ${MIN_DISK_GIB}`,
        "run docker image prune and docker builder prune, or use another disk",
      );
}

/** Finds files of other users, such as those of containers, which block git. */
function ownership(): Finding {
  const user = process.getuid?.();
  const listed = spawnSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" });
  if (user === undefined || listed.status !== 0) return ok("ownership", "not a git checkout");
  const foreign = listed.stdout
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(ROOT, path)))
    .filter((path) => lstatSync(join(ROOT, path)).uid !== user);
  return foreign.length === 0
    ? ok("ownership", "all files belong to this user")
    : fail(
        "ownership",
        `${foreign.length} files belong to another user, e.g. ${foreign[0]}`,
        'run sudo chown -R "$(id -u):$(id -g)" .',
      );
}
