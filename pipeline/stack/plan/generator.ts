import { UserError } from "../../../contract/errors.ts";
import { parseConfig } from "../../../generator/config.ts";
import { VARIABLE_NAMES } from "../../../generator/variables.ts";
import { FIXED_VARIABLES } from "../config-fields.ts";
import { type BrokerEndpoint, brokerEnvironment } from "../endpoints.ts";
import { requireSecret } from "../secrets.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  digestOf,
  type HealthCheck,
  type ServicePlan,
} from "../spec.ts";
import { commonSpec, hostName, imageOf, type PlanContext, publish } from "./context.ts";

const ALIAS = "generator";
const PORT = 9109;
const DATA = "/data";
const SECRETS = "/run/event-pipeline";

export interface GeneratorPlan {
  readonly service: ServicePlan;
  readonly url: string;
  /** Image that its own image is built on. */
  readonly baseImage: string;
}

/** The event generator; switched off it stands by and answers, so that its silence is explained. */
export function planGenerator(context: PlanContext, broker: BrokerEndpoint): GeneratorPlan | null {
  const { generator } = context.config;
  if (!generator.deploy) return null;
  const port = publish(context, "generator.port", PORT, generator.port);
  const data = context.names.volume("generator-data");
  const volume = context.names.volume("generator-secrets");
  const files = secretFiles(context, broker);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "generator",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    image: `event-pipeline/generator:${context.names.stack}`,
    environment: {
      ...generatorSettings(context),
      ...brokerEnvironment(broker, "inside"),
      ...Object.fromEntries(files.map(({ path }) => [fileVariable(path), `${SECRETS}/${path}`])),
      GEN_DATA_DIR: DATA,
      GEN_ENABLED: String(generator.enabled),
      GENERATOR_STAND: context.names.stack,
    },
    user: "1000:1000",
    ports: [port],
    mounts: [
      { volume: data, path: DATA, readOnly: false },
      { volume, path: SECRETS, readOnly: true },
    ],
    health,
    memoryMiB: generator.memoryMiB,
    cpus: generator.cpus,
    graceSeconds: 30,
    startDigests: { secrets: digestOf(files.map((file) => file.content).join("\n")) },
  };
  return {
    url: `http://${hostName(context)}:${port.host}`,
    baseImage: imageOf(context, "node"),
    service: {
      container,
      configs: [{ role: "secrets", volume, files }],
      dataVolumes: [data],
    },
  };
}

/** `control-token` → `CONTROL_TOKEN_FILE`. */
const fileVariable = (path: string): string => `${path.replaceAll("-", "_").toUpperCase()}_FILE`;

function secretFiles(context: PlanContext, broker: BrokerEndpoint): ConfigFile[] {
  const token = requireSecret(context.secrets, "controlToken", "The generator");
  const files = [{ path: "control-token", content: token, secret: true }];
  if (broker.security.sasl) {
    const password = requireSecret(context.secrets, "brokerPassword", "The generator");
    files.push({ path: "kafka-sasl-password", content: password, secret: true });
  }
  return files;
}

/**
 * Model parameters: the caller's environment wins over the configuration, for this run only.
 * Checked by the generator's own rules, so that a bad value is refused before anything starts.
 */
function generatorSettings({ config, environment }: PlanContext): Record<string, string> {
  refuseFixed(environment);
  const fromCaller = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[0].startsWith("GEN_") && Boolean(entry[1]),
  );
  const settings = { ...config.generator.settings, ...Object.fromEntries(fromCaller) };
  parseConfig(settings);
  return Object.fromEntries(
    VARIABLE_NAMES.flatMap((name) => {
      const value = settings[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function refuseFixed(environment: PlanContext["environment"]): void {
  const set = Object.entries(FIXED_VARIABLES).filter(([name]) => environment[name]);
  if (set.length === 0) return;
  const lines = set.map(([name, owner]) => `  ${name}=${environment[name]}: fixed, it is ${owner}`);
  throw new UserError(
    `The environment sets what the stack itself decides:\n${lines.join("\n")}`,
    `unset ${set.map(([name]) => name).join(" ")}`,
  );
}

const health: HealthCheck = {
  test: [
    "CMD",
    "node",
    "-e",
    `fetch("http://127.0.0.1:${PORT}/healthz").then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`,
  ],
  intervalSeconds: 3,
  timeoutSeconds: 5,
  retries: 20,
  startSeconds: 60,
};
