import { JOBS } from "../../dashboards/promql.ts";
import { parseConfig } from "../../generator/config.ts";
import { NO_SCENARIO, SHOP_IF_NEW, VARIABLE_NAMES, variables } from "../../generator/variables.ts";
import { type BrokerEndpoint, brokerClientEnvironment } from "../broker/endpoint.ts";
import { HEALTHY_WITHIN_SECONDS } from "../shared/docker-workarounds.ts";
import { HTTP_200_PATTERN, httpHealthCheck } from "../shared/health.ts";
import {
  builtImageName,
  commonSpec,
  hostUrl,
  imageOf,
  type Placement,
  plannedVolume,
  publish,
} from "../shared/placement.ts";
import { SECRETS, secretFiles } from "../shared/secret-files.ts";
import { justSecret, type SecretText } from "../shared/secret-text.ts";
import {
  type Address,
  type ClientAccess,
  type ContainerSpec,
  type HealthCheck,
  type ScrapeJob,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
} from "../shared/spec.ts";
import { type GeneratorConfig, generatorConfig, generatorData } from "./config.ts";
import type { Overrides } from "./overrides.ts";

const ALIAS = "generator";
const PORT = 9109;

export interface GeneratorPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly address: Address;
  readonly client: ClientAccess;
  readonly scrape: readonly ScrapeJob[];
  readonly insideUrl: string;
  /** Variables of the model, and the instance whose state they have to fit. */
  readonly settings: Readonly<Record<string, string>>;
  readonly baseImages: readonly [string];
  /** Command that waits for readiness; fails if the generator refuses its settings. */
  readonly ready: string;
}

/** Plans the generator; if disabled, it runs in standby and reports its status. */
export function planGenerator(
  config: GeneratorConfig,
  at: Placement,
  { broker, overrides }: { readonly broker: BrokerEndpoint; readonly overrides: Overrides },
): GeneratorPlan {
  const port = publish(at, "generator.port", PORT, config.port, "/status");
  const contents = contentsOf(broker);
  const settings = generatorSettings(config, overrides);
  const own = {
    GEN_ENABLED: String(config.enabled),
    GENERATOR_INSTANCE: at.names.stack,
  };
  const secrets = secretFiles(at, ALIAS, contents);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "generator",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image: builtImageName(at, ALIAS),
    environment: {
      ...settings,
      ...brokerClientEnvironment(broker, "inside"),
      ...Object.fromEntries(
        Object.keys(contents).map((path) => [fileVariable(path), `${SECRETS}/${path}`]),
      ),
      GEN_DATA_DIR: generatorData.path,
      ...own,
    },
    user: "1000:1000",
    ports: [port],
    health,
    // The provider waits until its timeout even for a generator that refuses its settings.
    hasReadyCommand: true,
    memoryMiB: config.memoryMiB,
    measuredMiB: 165,
    cpus: config.cpus,
    graceSeconds: 30,
    replaceTriggers: { secrets: secrets.replaceTrigger },
  };
  const url = hostUrl(at, port);
  return {
    address: { title: "Generator", url, page: "/status", isTool: false },
    client: {
      environment: { GENERATOR_URL: url },
      secrets: { CONTROL_TOKEN: "controlToken" },
    },
    baseImages: [imageOf(at, generatorConfig.images, "node")],
    ready: `generator status --accept-running --accept-pause --wait ${HEALTHY_WITHIN_SECONDS}`,
    settings: { ...settings, ...own },
    insideUrl: `http://${ALIAS}:${PORT}`,
    scrape: [{ job: JOBS.generator, target: `${ALIAS}:${PORT}` }],
    service: servicePlan({
      container,
      volumes: [plannedVolume(at, generatorData)],
      configs: [secrets.config],
    }),
  };
}

/** Returns `CONTROL_TOKEN_FILE` for `control-token`. */
const fileVariable = (path: string): string => `${path.replaceAll("-", "_").toUpperCase()}_FILE`;

const contentsOf = (broker: BrokerEndpoint): Record<string, SecretText> => ({
  "control-token": justSecret("controlToken"),
  ...(broker.security.sasl ? { "kafka-sasl-password": justSecret("brokerPassword") } : {}),
});

/** A new generator of a stack backfills a week that ends now, then streams live events. */
const WEEK = {
  GEN_RUN_MODE: "backfill-then-live",
  GEN_MODEL_T0: "now-7d",
  GEN_MODEL_T_END: "now",
  GEN_BEHAVIOUR: SHOP_IF_NEW,
};

/** A scenario has times and a behaviour of its own. */
const SCENARIO = { GEN_RUN_MODE: WEEK.GEN_RUN_MODE };

/** Validates the variables by the generator's rules, so that a bad value fails before the start. */
function generatorSettings(config: GeneratorConfig, overrides: Overrides): Record<string, string> {
  const given: Partial<Record<string, string>> = { ...config.settings, ...overrides };
  const scenario = given.GEN_SCENARIO ?? NO_SCENARIO;
  const first = scenario === NO_SCENARIO ? WEEK : SCENARIO;
  const settings: Partial<Record<string, string>> = { ...first, ...withoutState(given), ...given };
  parseConfig(settings);
  return Object.fromEntries(
    VARIABLE_NAMES.flatMap((name) => {
      const value = settings[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Live events after a history need its state; without a state the generator starts at T0. */
const withoutState = ({ GEN_STATE_ENABLED: given }: Partial<Record<string, string>>) =>
  variables.GEN_STATE_ENABLED.schema.safeParse(given).data === false
    ? { GEN_RUN_MODE: "live" }
    : {};

const health: HealthCheck = {
  test: httpHealthCheck(PORT, "/healthz", HTTP_200_PATTERN),
  everySeconds: 3,
  timeoutSeconds: 5,
  unhealthyAfterSeconds: 60,
};
