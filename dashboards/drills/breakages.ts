import { DatabaseError, UserError } from "../../contract/errors.ts";
import { runDocker } from "../../terminal/docker.ts";
import { openDatabase } from "../../warehouse/database/open.ts";
import type { AlertRule } from "../alerts/rule.ts";
import { containerBeside } from "../checks/endpoints.ts";
import type { Breakage } from "./drill.ts";

export interface Stoppable {
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** A rule that a real interruption triggers. */
export type DrilledRule = AlertRule & { readonly drill: NonNullable<AlertRule["drill"]> };
type StoppedService = Extract<DrilledRule["drill"], { kind: "stop" }>["service"];

export interface DrillTarget {
  /** Null for a service that this stack does not run. */
  readonly services: Readonly<Record<StoppedService, Stoppable | null>>;
  readonly databaseUrl: string;
  readonly collectorUrl: string;
}

export const hasDrill = (rule: AlertRule): rule is DrilledRule => rule.drill !== undefined;

/** Returns why the rule cannot be drilled, or undefined. */
export function obstacleTo(
  { name, drill }: DrilledRule,
  services: DrillTarget["services"],
): string | undefined {
  if (drill.kind !== "stop" || services[drill.service]) return undefined;
  return `${name}: the drill cannot stop the ${drill.service}, which this stack does not run`;
}

/** Returns the breakage of the rule's drill. @throws UserError if the stack lacks the service */
export function breakageOf(
  rule: DrilledRule,
  { services, databaseUrl, collectorUrl }: DrillTarget,
): Breakage {
  const { drill } = rule;
  if (drill.kind === "bad-query") return badQueries(databaseUrl);
  const service = services[drill.service];
  if (!service) throw new UserError(obstacleTo(rule, services) ?? "", ELSEWHERE);
  const start = async (): Promise<void> => {
    await service.stop();
    if (drill.sendsHit) await fetch(`${collectorUrl}/hit`, { method: "POST", body: "{}" });
  };
  return { start, undo: () => service.start() };
}

const ELSEWHERE = "stop the service where it runs; /api/v1/alerts of Prometheus lists the alert";

/** Returns the containers of the stack that drills stop. */
export async function stoppableServices(
  metricsContainer: string,
): Promise<DrillTarget["services"]> {
  const stoppable = async (service: string): Promise<Stoppable | null> => {
    const container = await containerBeside(metricsContainer, service);
    if (!container) return null;
    return {
      stop: async () => void (await runDocker("stop", "--time", "30", container)),
      start: async () => void (await runDocker("start", container)),
    };
  };
  return {
    broker: await stoppable("kafka"),
    generator: await stoppable("generator"),
    scheduler: await stoppable("airflow"),
  };
}

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
