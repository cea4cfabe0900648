import { parseConfig } from "../../generator/config.ts";
import { VARIABLE_NAMES } from "../../generator/variables.ts";
import {
  commonSpec,
  hostUrl,
  imageOf,
  ownImage,
  type PlanContext,
  publish,
} from "../shared/context.ts";
import { type BrokerEndpoint, brokerEnvironment } from "../shared/endpoints.ts";
import { httpHealthCheck, IS_OK } from "../shared/health.ts";
import { SECRETS, secretFiles } from "../shared/secret-files.ts";
import { justSecret, type SecretText } from "../shared/secret-text.ts";
import {
  type ContainerSpec,
  HEALTHY_WITHIN_SECONDS,
  type HealthCheck,
  type ServicePlan,
  type ServiceSpec,
} from "../shared/spec.ts";
import { generatorConfig } from "./config.ts";

const ALIAS = "generator";
const PORT = 9109;
const DATA = "/data";

export interface GeneratorPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly url: string;
  readonly metricsTarget: string;
  readonly insideUrl: string;
  readonly baseImage: string;
  /** Fails with its reason if the generator refuses its settings. */
  readonly ready: string;
}

/** When disabled, it stays on standby and still reports its status. */
export function planGenerator(context: PlanContext, broker: BrokerEndpoint): GeneratorPlan | null {
  const { generator } = context.config;
  if (!generator.deploy) return null;
  const port = publish(context, "generator.port", PORT, generator.port);
  const data = context.names.volume("generator-data");
  const contents = contentsOf(broker);
  const secrets = secretFiles(context, ALIAS, contents);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "generator",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    image: ownImage(context, ALIAS),
    environment: {
      ...generatorSettings(context),
      ...brokerEnvironment(broker, "inside"),
      ...Object.fromEntries(
        Object.keys(contents).map((path) => [fileVariable(path), `${SECRETS}/${path}`]),
      ),
      GEN_DATA_DIR: DATA,
      GEN_ENABLED: String(generator.enabled),
      GENERATOR_INSTANCE: context.names.stack,
    },
    user: "1000:1000",
    ports: [port],
    mounts: [{ volume: data, path: DATA, readOnly: false }, secrets.mount],
    health,
    // The provider would wait its whole time for a generator that refuses its settings.
    readinessDeferred: true,
    memoryMiB: generator.memoryMiB,
    measuredMiB: 165,
    cpus: generator.cpus,
    graceSeconds: 30,
    startTexts: { secrets: secrets.startText },
  };
  return {
    url: hostUrl(context, port),
    address: { title: "Generator", url: hostUrl(context, port), page: "/status", isTool: false },
    baseImage: imageOf(context, generatorConfig.images, "node"),
    ready: `generator status --accept-running --accept-pause --wait ${HEALTHY_WITHIN_SECONDS}`,
    insideUrl: `http://${ALIAS}:${PORT}`,
    metricsTarget: `${ALIAS}:${PORT}`,
    service: {
      container,
      configs: [secrets.config],
      dataVolumes: [{ role: "data", volume: data }],
    },
  };
}

/** `control-token` → `CONTROL_TOKEN_FILE`. */
const fileVariable = (path: string): string => `${path.replaceAll("-", "_").toUpperCase()}_FILE`;

const contentsOf = (broker: BrokerEndpoint): Record<string, SecretText> => ({
  "control-token": justSecret("controlToken"),
  ...(broker.security.sasl ? { "kafka-sasl-password": justSecret("brokerPassword") } : {}),
});

/** Live mode on an empty generator instance: a week of history that ends now, then current events. */
const LIVE = { GEN_RUN_MODE: "backfill-then-live", GEN_MODEL_T0: "now-7d", GEN_MODEL_T_END: "now" };

/** Checked by the generator's own rules, so that a bad value fails before anything starts. */
function generatorSettings({ config, overrides }: PlanContext): Record<string, string> {
  const mode = config.mode === "live" ? LIVE : {};
  const settings: Partial<Record<string, string>> = {
    ...mode,
    ...config.generator.settings,
    ...overrides,
  };
  parseConfig(settings);
  return Object.fromEntries(
    VARIABLE_NAMES.flatMap((name) => {
      const value = settings[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const health: HealthCheck = {
  test: httpHealthCheck(PORT, "/healthz", IS_OK),
  everySeconds: 3,
  timeoutSeconds: 5,
  patienceSeconds: 60,
};
