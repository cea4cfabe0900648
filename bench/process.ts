import { readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;
const KIB_PER_MIB = 1024;

/** Processor seconds of a process by proc_pid_stat(5), fields 14 and 15; 0 after its end. */
export function cpuSeconds(pid: number | undefined): number {
  const fields = procFile(pid, "stat").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}

/** Processor seconds of this process, with the embedded engine if it is open. */
export function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Peak of a process's memory, MiB, by proc_pid_status(5); 0 after its end. */
export const peakMiB = (pid: number | undefined): number =>
  Number(/VmHWM:\s+(\d+)/.exec(procFile(pid, "status"))?.[1] ?? 0) / KIB_PER_MIB;

function procFile(pid: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
