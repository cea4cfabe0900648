/** Entry point of the generator process, configured by the environment. */
import { readBrokerConnection } from "../../contract/broker.ts";
import { UserError } from "../../contract/errors.ts";
import { type GeneratorConfig, parseConfig } from "../config.ts";
import { serveHttp } from "./http.ts";
import type { HttpEndpoint } from "./listen.ts";
import { type Log, openLog } from "./log.ts";
import { Monitor } from "./monitor.ts";
import { GeneratorService } from "./service.ts";
import { readSettings, type ServiceSettings } from "./settings.ts";
import { healthOf } from "./state.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const log = openLog();
try {
  await run(process.env);
  process.exit(0);
} catch (error) {
  report(error);
  process.exit(1);
}

async function run(env: Environment): Promise<void> {
  const settings = readSettings(env);
  const config = parseConfig(env);
  const bootstrap = { ...env, KAFKA_BOOTSTRAP_SERVERS: config.bootstrapServers };
  const monitor = new Monitor(log);
  monitor.metrics.tickSeconds.set(config.tickSeconds);
  const connection = readBrokerConnection(bootstrap);
  const fatal = Promise.withResolvers<never>();
  // Without a handler, a rejection would end the process before the endpoint is closed.
  fatal.promise.catch(() => undefined);
  const service = new GeneratorService({
    connection,
    instance: settings.instance,
    env,
    monitor,
    log,
    config,
    onFatal: fatal.reject,
  });
  const stop = onStopSignal(log);
  const http = await listen(settings, config, service, monitor);
  log.info("listening", { port: http.port, instance: settings.instance });
  try {
    await Promise.race([work(config, service, stop), fatal.promise]);
  } finally {
    await service.close();
    await http.close();
  }
}

/** Runs the configured operation. A refused live generator stays reachable on /control. */
async function work(
  config: GeneratorConfig,
  service: GeneratorService,
  stop: Promise<void>,
): Promise<void> {
  if (!config.enabled) {
    service.standBy("GEN_ENABLED=false: waits for a request on /control");
    return stop;
  }
  await service.connect();
  const decision = await service.startOwn(config.stateReset);
  if (config.runMode !== "backfill") {
    if (decision.action === "refuse") log.error(decision.reason, { hint: decision.hint });
    return stop;
  }
  await Promise.race([service.finished(), stop]);
  await service.close();
  requireSuccess(service);
}

function requireSuccess({ state }: GeneratorService): void {
  if (state.kind !== "failed" && state.kind !== "refused") return;
  throw new UserError(state.reason, state.hint);
}

function listen(
  settings: ServiceSettings,
  config: GeneratorConfig,
  service: GeneratorService,
  monitor: Monitor,
): Promise<HttpEndpoint> {
  const { registry } = monitor.metrics;
  return serveHttp({
    ...settings,
    service,
    metrics: () => monitor.exposition(service.state),
    metricsType: registry.contentType,
    status: () => ({
      instance: settings.instance,
      enabled: config.enabled,
      run_mode: config.runMode,
      state: service.state,
      ...monitor.view(),
    }),
    health: () =>
      healthOf({
        state: service.state,
        lastSuccess: monitor.lastSuccess,
        tickMs: config.tickSeconds * 1000,
        lastError: monitor.lastError,
        now: Date.now(),
      }),
    onUnforeseen: report,
  });
}

/** Resolves on the first stop signal; a second one ends the process. */
function onStopSignal(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        if (isAsked) process.exit(1);
        isAsked = true;
        log.info(`${signal}: stopping after the current batch`);
        resolve();
      });
    }
  });
}

function report(error: unknown): void {
  if (error instanceof UserError) {
    log.error(error.message, error.hint === undefined ? {} : { hint: error.hint });
  } else log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
