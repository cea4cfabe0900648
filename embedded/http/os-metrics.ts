import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { cpus, loadavg, totalmem } from "node:os";

export interface Sample {
  readonly name: string;
  readonly value: number;
  readonly help: string;
}

const sample = (name: string, value: number | undefined, help: string): Sample[] =>
  value === undefined || !Number.isFinite(value) ? [] : [{ name, value, help }];

export class OsMetrics {
  #before = cpuTimes();

  async read(directory: string): Promise<Sample[]> {
    const disk = await statfs(directory);
    const total = disk.blocks * disk.bsize;
    const available = disk.bavail * disk.bsize;
    return [
      ...this.#cpu(),
      ...memory(),
      ...sample("FilesystemMainPathTotalBytes", total, "Size of the volume of the main path."),
      ...sample(
        "FilesystemMainPathAvailableBytes",
        available,
        "Free bytes of the volume of the main path.",
      ),
      ...sample(
        "FilesystemMainPathUsedBytes",
        total - available,
        "Used bytes of the volume of the main path.",
      ),
    ];
  }

  /** Returns the shares of all cores' time since the last reading. */
  #cpu(): Sample[] {
    const now = cpuTimes();
    const before = this.#before;
    this.#before = now;
    const total = now.total - before.total;
    if (total <= 0) return load();
    const share = (after: number, earlier: number): number => (after - earlier) / total;
    return [
      ...sample(
        "OSUserTimeNormalized",
        share(now.user, before.user),
        "Share of all cores' time in user space since the last reading, whole machine.",
      ),
      ...sample(
        "OSSystemTimeNormalized",
        share(now.sys, before.sys),
        "Share of all cores' time in the kernel since the last reading, whole machine.",
      ),
      ...load(),
    ];
  }
}

function load(): Sample[] {
  const [one, five, fifteen] = loadavg();
  const help = "Number of processes that run or wait for CPU or disk, averaged over minutes.";
  return [
    ...sample("LoadAverage1", one, help),
    ...sample("LoadAverage5", five, help),
    ...sample("LoadAverage15", fifteen, help),
  ];
}

function memory(): Sample[] {
  return [
    ...sample(
      "MemoryResident",
      process.memoryUsage.rss(),
      "Physical memory of the process, bytes. The engine and its host program are one process.",
    ),
    ...sample("OSMemoryTotal", totalmem(), "Memory of the machine, bytes."),
    ...sample("OSMemoryAvailable", memAvailable(), "Memory available to programs, bytes."),
    ...sample("CGroupMemoryTotal", cgroup("memory.max"), "Memory limit of the cgroup, bytes."),
    ...sample("CGroupMemoryUsed", cgroup("memory.current"), "Memory in use by the cgroup, bytes."),
  ];
}

function memAvailable(): number | undefined {
  const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(readText("/proc/meminfo"))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

const CGROUP_V1: Readonly<Record<string, string>> = {
  "memory.max": "memory/memory.limit_in_bytes",
  "memory.current": "memory/memory.usage_in_bytes",
};

/** Reads cgroup version 2, else 1; undefined for "max" or no limit. */
function cgroup(file: string): number | undefined {
  const text =
    readText(`/sys/fs/cgroup/${file}`) || readText(`/sys/fs/cgroup/${CGROUP_V1[file] ?? file}`);
  const value = /^\d+\s*$/.test(text) ? Number(text) : undefined;
  return value !== undefined && value > Number.MAX_SAFE_INTEGER ? undefined : value;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function cpuTimes(): { user: number; sys: number; total: number } {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (of: (time: (typeof times)[number]) => number): number =>
    times.reduce((total, time) => total + of(time), 0);
  return {
    user: sum((time) => time.user + time.nice),
    sys: sum((time) => time.sys + time.irq),
    total: sum((time) => time.user + time.nice + time.sys + time.irq + time.idle),
  };
}
