import { z } from "zod";
import { LABELS } from "../names.ts";
import { dockerRows, serviceRows } from "./docker.ts";
import { askEngine, engineSocket } from "./engine-api.ts";

/** Memory of one service, MiB, as `docker stats` shows it: without the pages it could give back. */
export interface MemoryUse {
  readonly service: string;
  readonly used: number;
  readonly limit: number;
}

/**
 * What the stack's running containers hold now, greatest first. The engine itself is asked where it
 * can be: that takes no process, and no two seconds of watching a share of the processor that nobody
 * wants to know.
 * @param signal ends waiting for the engine
 */
export async function memoryOfServices(stack: string, signal: AbortSignal): Promise<MemoryUse[]> {
  const socket = engineSocket();
  const told = socket ? await tell(socket, stack, signal).catch(() => null) : null;
  signal.throwIfAborted();
  return (told ?? (await list(stack))).sort((a, b) => b.used - a.used);
}

type Usage = Omit<MemoryUse, "service">;

const containersSchema = z.array(
  z.looseObject({ Id: z.string(), Labels: z.record(z.string(), z.string()) }),
);

async function tell(socket: string, stack: string, signal: AbortSignal): Promise<MemoryUse[]> {
  // Jobs that run once have no role.
  const filters = JSON.stringify({ label: [`${LABELS.project}=${stack}`, LABELS.role] });
  const path = `/containers/json?filters=${encodeURIComponent(filters)}`;
  const containers = containersSchema.parse(JSON.parse(await askEngine(socket, path, signal)));
  const uses = await Promise.allSettled(
    containers.map(async ({ Id, Labels }) => {
      // One shot: Docker 20.10 and later.
      const shot = `/containers/${Id}/stats?stream=false&one-shot=true`;
      const answer = JSON.parse(await askEngine(socket, shot, signal));
      return { service: Labels[LABELS.role] ?? Id, ...usageOf(answer) };
    }),
  );
  // One that has just gone is no reason to know nothing; none at all is an engine that cannot tell.
  const told = uses.filter((use) => use.status === "fulfilled").map(({ value }) => value);
  if (told.length === 0 && containers.length > 0) throw new Error("the engine tells no memory");
  return told;
}

const MIB = 2 ** 20;

/** In control groups of version 1 the second name has the whole subtree's. */
const statisticsSchema = z.looseObject({
  memory_stats: z.looseObject({
    usage: z.number().optional(),
    limit: z.number().optional(),
    stats: z
      .looseObject({
        inactive_file: z.number().optional(),
        total_inactive_file: z.number().optional(),
      })
      .optional(),
  }),
});

/**
 * Computed as Docker's command line does it (`docker stats`, "MEM USAGE"): usage without inactive
 * pages of files.
 * @param answer of the engine about one container
 */
export function usageOf(answer: unknown): Usage {
  const { usage = 0, limit = 0, stats = {} } = statisticsSchema.parse(answer).memory_stats;
  const inactive = stats.total_inactive_file ?? stats.inactive_file ?? 0;
  const used = inactive < usage ? usage - inactive : usage;
  return { used: Math.round(used / MIB), limit: Math.round(limit / MIB) };
}

/** The same of an engine that cannot be asked directly. */
async function list(stack: string): Promise<MemoryUse[]> {
  const running = await serviceRows(stack, ["{{.ID}}"], { isRunning: true });
  const roles = new Map(running.map(([role = "", id = ""]) => [id, role]));
  if (roles.size === 0) return [];
  const usage = ["stats", "--no-stream", "--format", "{{.ID}}\t{{.MemUsage}}"];
  return (await dockerRows(...usage, ...roles.keys())).map(([id = "", memory = ""]) => ({
    service: roles.get(id) ?? id,
    ...readUsage(memory),
  }));
}

/** `230.6MiB / 768MiB`; a container that has just gone holds nothing. */
export function readUsage(text: string): Usage {
  const [used = 0, limit = 0] = text.split("/").map((part) => mebibytes(part.trim()));
  return { used, limit };
}

const UNITS: Readonly<Record<string, number>> = { B: 2 ** -20, KiB: 2 ** -10, MiB: 1, GiB: 1024 };

function mebibytes(text: string): number {
  const [, amount = "0", unit = ""] = /^([\d.]+)([KMG]iB|B)$/.exec(text) ?? [];
  return Math.round(Number(amount) * (UNITS[unit] ?? 0));
}
