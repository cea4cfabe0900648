import { spawn } from "node:child_process";
import { once } from "node:events";
import { DatabaseError, UserError } from "../../contract/errors.ts";
import { docker } from "../../terminal/docker.ts";
import { openDatabase } from "../../warehouse/database/open.ts";
import type { AlertRule, FedSample } from "../alerts/rule.ts";
import type { Breakage } from "./drill.ts";

/** A service that a drill stops, and starts to heal. */
export interface Stoppable {
  stop(): Promise<void>;
  start(): Promise<void>;
}

type StoppedService = Extract<AlertRule["drill"], { kind: "stop" }>["service"];

/** What a drill needs of the running stack; null: the service is not the stack's own. */
export interface DrillTarget {
  readonly services: Readonly<Record<StoppedService, Stoppable | null>>;
  /** The database's HTTP interface with a user who may ask; for queries that fail. */
  readonly databaseUrl: string;
  readonly feeder: Feeder;
}

/** Why the rule cannot be drilled on this stack; undefined where it can. */
export function obstacleTo(
  { name, drill }: AlertRule,
  services: DrillTarget["services"],
): string | undefined {
  if (drill.kind !== "stop" || services[drill.service]) return undefined;
  return `${name}: its drill stops the ${drill.service}, which this stack does not run itself`;
}

/** The one thing that the rule's drill breaks. @throws UserError where the stack does not have it */
export function breakageOf(
  rule: AlertRule,
  { services, databaseUrl, feeder }: DrillTarget,
): Breakage {
  const { drill } = rule;
  switch (drill.kind) {
    case "stop": {
      const service = services[drill.service];
      if (!service) throw new UserError(obstacleTo(rule, services) ?? "", ELSEWHERE);
      return { start: () => service.stop(), heal: () => service.start() };
    }
    case "bad-query":
      return badQueries(databaseUrl);
    case "feed":
      return {
        start: () => feeder.feed(rule.name, drill.samples),
        heal: () => feeder.feed(rule.name, []),
      };
  }
}

const ELSEWHERE = "stop it where it runs, and look at the page /alerts of Prometheus (make urls)";

export const stoppable = (container: string): Stoppable => ({
  stop: async () => {
    await docker("stop", "--time", "30", container);
  },
  start: async () => {
    await docker("start", container);
  },
});

/** A query for a table that is not there, time and again. */
const badQueries = (url: string): Breakage => ({
  start: () => failingQuery(url),
  keepUp: () => failingQuery(url),
  heal: async () => undefined,
});

async function failingQuery(url: string): Promise<void> {
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

/**
 * Values that Prometheus takes for a service's own; that service is left alone. Each rule's have an
 * instance of their own, so that several drills can run at once.
 */
export class Feeder {
  readonly #command: readonly string[];
  readonly #fed = new Map<string, readonly Fed[]>();
  #writing: Promise<void> = Promise.resolve();

  /** @param command program and arguments of what takes the values on its input */
  constructor(command: readonly string[]) {
    this.#command = command;
  }

  /** Replaces what one rule's drill feeds; nothing heals it. */
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

  /** Takes back everything, also what a drill that was cut off has left. */
  clear(): Promise<void> {
    this.#fed.clear();
    return this.#writeNext();
  }

  /** One after another; one that failed must not keep the next from healing. */
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
      throw new UserError("The service alert-log takes no values for a drill.", "make up, make ps");
    }
  }
}
