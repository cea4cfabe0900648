import { spawn } from "node:child_process";
import { once } from "node:events";
import { DatabaseError, UserError } from "../../contract/errors.ts";
import { docker } from "../../terminal/docker.ts";
import { openDatabase } from "../../warehouse/database/open.ts";
import type { AlertRule, FedSample } from "../alerts/rule.ts";
import type { Breakage } from "./drill.ts";

export interface Stoppable {
  stop(): Promise<void>;
  start(): Promise<void>;
}

type StoppedService = Extract<AlertRule["drill"], { kind: "stop" }>["service"];

/** Container of the service; null if the service is external. */
export interface DrillTarget {
  readonly services: Readonly<Record<StoppedService, Stoppable | null>>;
  readonly databaseUrl: string;
  readonly feeder: Feeder;
}

/** Returns why the rule cannot be drilled, or undefined. */
export function obstacleTo(
  { name, drill }: AlertRule,
  services: DrillTarget["services"],
): string | undefined {
  if (drill.kind !== "stop" || services[drill.service]) return undefined;
  return `${name}: the drill cannot stop the ${drill.service}, which is external to this stack`;
}

/** Returns the breakage of the rule's drill. @throws UserError if the service is external */
export function breakageOf(
  rule: AlertRule,
  { services, databaseUrl, feeder }: DrillTarget,
): Breakage {
  const { drill } = rule;
  switch (drill.kind) {
    case "stop": {
      const service = services[drill.service];
      if (!service) throw new UserError(obstacleTo(rule, services) ?? "", ELSEWHERE);
      return { start: () => service.stop(), undo: () => service.start() };
    }
    case "bad-query":
      return badQueries(databaseUrl);
    case "feed":
      return {
        start: () => feeder.feed(rule.name, drill.samples),
        undo: () => feeder.feed(rule.name, []),
      };
  }
}

const ELSEWHERE = "stop the service where it runs, then open /alerts of Prometheus (make urls)";

export const stoppable = (container: string): Stoppable => ({
  stop: async () => {
    await docker("stop", "--time", "30", container);
  },
  start: async () => {
    await docker("start", container);
  },
});

const badQueries = (url: string): Breakage => ({
  start: () => runFailingQuery(url),
  keepUp: () => runFailingQuery(url),
  undo: async () => undefined,
});

async function runFailingQuery(url: string): Promise<void> {
  const db = await openDatabase(url);
  try {
    await db.run("SELECT * FROM default.drill_of_an_alert");
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
  } finally {
    await db.close();
  }
}

type Fed = FedSample & { readonly since: number };

/** Feeds samples of drills, which can run at once: each rule has its own instance label. */
export class Feeder {
  readonly #command: readonly string[];
  readonly #fed = new Map<string, readonly Fed[]>();
  #writing: Promise<void> = Promise.resolve();

  /** Starts the feeder. @param command reads the samples from standard input */
  constructor(command: readonly string[]) {
    this.#command = command;
  }

  /** Replaces the samples of a rule; an empty list removes them. */
  feed(rule: string, samples: readonly FedSample[]): Promise<void> {
    const since = Date.now();
    const own = samples.map((sample) => ({
      ...sample,
      labels: { ...sample.labels, instance: `drill-${rule}` },
      since,
    }));
    this.#fed.set(rule, own);
    return this.#writeNext();
  }

  /** Removes all samples, including those of an interrupted drill. */
  clear(): Promise<void> {
    this.#fed.clear();
    return this.#writeNext();
  }

  /** Writes the next samples, also after a failed write. */
  #writeNext(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const [program = "", ...args] = this.#command;
    const child = spawn(program, args, { stdio: ["pipe", "inherit", "inherit"] });
    child.stdin.end(JSON.stringify([...this.#fed.values()].flat()));
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) {
      throw new UserError(
        `The service alert-log rejects the samples of a drill (exit code ${code})`,
        "run make up, then make ps",
      );
    }
  }
}
