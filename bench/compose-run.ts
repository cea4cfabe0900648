import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { stringify } from "yaml";
import { IMPORT_COMMANDS } from "../components/bi/spec.ts";
import { TOPICS_COMMANDS } from "../components/broker/spec.ts";
import { SCHEMA_COMMANDS } from "../components/database/spec.ts";
import { type StackPlan, servicesOf } from "../components/services.ts";
import type { SecretValues } from "../components/shared/secret-text.ts";
import type { ServicePlan } from "../components/shared/spec.ts";
import { composeOf } from "./compose.ts";

const execute = promisify(execFile);
const [program = "docker", ...prefix] = (process.env.COMPOSE ?? "docker compose").split(" ");

export interface KnownPlan {
  readonly plan: StackPlan;
  readonly secrets: SecretValues;
}

export type Pipeline = (...args: readonly string[]) => Promise<unknown>;

/** Starts the services with Compose; only the topics wait for a healthy broker. @returns seconds */
export async function composeUp(known: KnownPlan, file: string, pipeline: Pipeline) {
  const { plan, secrets } = known;
  writeFileSync(file, stringify(composeOf(plan, secrets)), { mode: 0o600 });
  const on = (...args: string[]) =>
    execute(program, [...prefix, "-p", "bench-compose", "-f", file, ...args]);
  const start: Start = async (...services) => {
    const aliases = services.flatMap((service) => (service ? [service.container.alias] : []));
    if (aliases.length > 0) await on("up", "--wait", "--detach", ...aliases);
  };
  try {
    const started = performance.now();
    // Creates everything first, because concurrent starts would create the same objects.
    await on("up", "--no-start");
    await startAll(plan, start, pipeline);
    return (performance.now() - started) / 1000;
  } finally {
    await on("down", "--volumes");
  }
}

type Start = (...services: (ServicePlan | null | undefined)[]) => Promise<unknown>;

/** Starts all services, the generator after the topics, Superset and Airflow after PostgreSQL. */
async function startAll(plan: StackPlan, start: Start, pipeline: Pipeline): Promise<void> {
  const metadata = startMetadata(plan, start);
  const bi = metadata.then(() => start(plan.bi?.service));
  const scheduler = metadata.then(() => start(plan.scheduler?.service, plan.scheduler?.web));
  await start(plan.broker.service, plan.database.service);
  const run = async (commands: readonly string[]): Promise<void> => {
    for (const command of commands) await pipeline(...command.split(" "));
  };
  await run(TOPICS_COMMANDS);
  const { metrics, dashboards } = plan;
  const watching = start(...others(plan));
  const generator = start(plan.generator?.service);
  const schema = run(SCHEMA_COMMANDS);
  const assets = plan.bi ? Promise.all([bi, schema]).then(() => run(IMPORT_COMMANDS)) : undefined;
  const watched = Promise.all([schema, generator, watching]);
  const views = watched.then(() => start(metrics?.service, dashboards?.service));
  await Promise.all([views, scheduler, assets]);
}

/** Services that need at most the broker. */
const others = (plan: StackPlan): ServicePlan[] =>
  servicesOf({
    ...plan,
    ...{ broker: null, database: null, postgres: null, generator: null },
    ...{ scheduler: null, bi: null, metrics: null, dashboards: null },
  });

async function startMetadata({ postgres }: StackPlan, start: Start): Promise<void> {
  if (!postgres) return;
  await start(postgres.service);
  await execute("docker", ["exec", ...postgres.apply]);
}
