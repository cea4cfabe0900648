import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { stringify } from "yaml";
import type { StackPlan } from "../components/services.ts";
import { COMMANDS } from "../components/shared/commands.ts";
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

/** Only the topics wait for the broker's health. @param file to write @returns seconds */
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
    // Several starts at once would each create network, volumes and containers.
    await on("up", "--no-start");
    await startAll(plan, start, pipeline);
    return (performance.now() - started) / 1000;
  } finally {
    await on("down", "--volumes");
  }
}

type Start = (...services: (ServicePlan | null | undefined)[]) => Promise<unknown>;

/** The generator needs its topics, Superset and Airflow their databases. */
async function startAll(plan: StackPlan, start: Start, pipeline: Pipeline): Promise<void> {
  const metadata = startMetadata(plan, start);
  const bi = metadata.then(() => start(plan.bi?.service));
  const scheduler = metadata.then(() => start(plan.scheduler?.service, plan.scheduler?.web));
  await start(plan.broker.service, plan.database.service);
  const run = async (commands: readonly string[]): Promise<void> => {
    for (const command of commands) await pipeline(command);
  };
  await run(COMMANDS.topics);
  const { brokerExporter, statsdExporter, metrics } = plan.monitoring;
  const watching = start(
    ...[plan.brokerUi?.service, brokerExporter?.service],
    ...[statsdExporter?.service, metrics?.alertLog.service],
  );
  const generator = start(plan.generator?.service);
  const schema = run(COMMANDS.schema);
  const assets = plan.bi ? Promise.all([bi, schema]).then(() => run(COMMANDS.bi)) : undefined;
  const watched = Promise.all([schema, generator, watching]);
  await Promise.all([watched.then(() => start(metrics?.service)), scheduler, assets]);
}

async function startMetadata({ postgres }: StackPlan, start: Start): Promise<void> {
  if (!postgres) return;
  await start(postgres.service);
  await execute("docker", ["exec", ...postgres.apply]);
}
