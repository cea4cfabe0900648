import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const SHARED_MEMORY = "/dev/shm";
const PREFIX = "event-pipeline-tests-";
/** Space for the files of engines, brokers and databases of two levels, bytes. */
const SPACE_BYTES = 6 * 2 ** 30;
/** Memory for the processes of two levels, bytes. */
const MEMORY_BYTES = 6 * 2 ** 30;

/** Keeps temporary files in memory if possible, because engines and brokers write much. */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return;
  removeLeftovers();
  const folder = join(SHARED_MEMORY, `${PREFIX}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  // Makes the folder readable for PostgreSQL, which runs as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}

/** True if shared memory has space and permits programs, because tests write programs. */
function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
    const options = mounts.findLast((line) => line.split(" ")[1] === SHARED_MEMORY)?.split(" ")[3];
    const isExecutable = options !== undefined && !options.split(",").includes("noexec");
    const hasMemory = process.availableMemory() >= SPACE_BYTES + MEMORY_BYTES;
    return isExecutable && hasMemory && bavail * bsize >= SPACE_BYTES;
  } catch {
    return false;
  }
}

/** Removes folders that killed runs have left. */
function removeLeftovers(): void {
  for (const name of readdirSync(SHARED_MEMORY)) {
    const isOurs = name.startsWith(PREFIX);
    if (isOurs && !isRunning(Number(name.slice(PREFIX.length)))) {
      rmSync(join(SHARED_MEMORY, name), { recursive: true, force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
